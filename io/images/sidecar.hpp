#pragma once

#include <larmor/core/data/image.hpp>

#include <string>
#include <vector>

namespace larmor {

/// NAME.json for NAME.nii and NAME.nii.gz.
std::string sidecar_path(const std::string& nifti_path);

struct Sidecar {
  std::string text;
  std::vector<std::string> warnings;  ///< true if BIDS requires frame_seconds but it is not given
};

/// The BIDS sidecar (BIDS 1.10, "Magnetic Resonance Imaging") of a NIfTI image with these volumes, each
/// represented by one of the series' images: scanner and sequence from the series' ISMRMRD header, in the
/// units of BIDS (seconds, tesla, MHz, degrees), and the task in the image's name
/// (sub-01_task-rest_bold.nii.gz). Values that BIDS does not allow, such as an echo time of 0, are omitted.
/// RepetitionTime of several repetitions is the time between them, frame_seconds. Echo times and flip angles
/// are those of the volumes' contrasts: one number, or one for each volume; other times are omitted if they
/// differ. Contains no patient names, dates or places; keep_patient adds free texts: protocol, description,
/// institution.
Sidecar sidecar_of(const std::string& nifti_path, const ImageSeries& series,
                   const std::vector<const Image*>& volumes, double frame_seconds = 0,
                   bool keep_patient = false);

}  // namespace larmor
