#pragma once

#include <larmor/core/data/image.hpp>

#include <string>
#include <vector>

namespace larmor {

/// NAME.json for NAME.nii and NAME.nii.gz.
std::string sidecar_path(const std::string& nifti_path);

struct Sidecar {
  std::string text;
  std::vector<std::string> warnings;  ///< where BIDS asks for frame_seconds and nobody has said it
};

/// The JSON that the Brain Imaging Data Structure (BIDS 1.10, "Magnetic Resonance Imaging") puts beside a
/// NIfTI image of these volumes, each named by one of the series' images: what the series' ISMRMRD header
/// says of scanner and sequence, in the units of BIDS (seconds, tesla, MHz, degrees), and the task that the
/// image's name has (sub-01_task-rest_bold.nii.gz). Values that BIDS does not allow, such as an echo time of
/// 0, are left out. RepetitionTime of several repetitions is the time between them, frame_seconds. Echo times
/// and flip angles are those of the volumes' contrasts: one number, or one for each volume; the other times
/// are left out where they differ. Nothing that names a patient, a date or a place; keep_patient adds the
/// texts that people write: protocol, description, institution.
Sidecar sidecar_of(const std::string& nifti_path, const ImageSeries& series,
                   const std::vector<const Image*>& volumes, double frame_seconds = 0,
                   bool keep_patient = false);

}  // namespace larmor
