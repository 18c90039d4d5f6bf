#pragma once

#include <larmor/core/data/image.hpp>

#include <string>

namespace larmor {

/// NAME.json for NAME.nii and NAME.nii.gz.
std::string sidecar_path(const std::string& nifti_path);

/// The JSON that the Brain Imaging Data Structure (BIDS 1.9, "Magnetic Resonance Imaging") puts beside a
/// NIfTI image: what the series' ISMRMRD header says of scanner and sequence, in the units of BIDS (seconds,
/// tesla, MHz, degrees). Nothing that names a patient, a date or a place. keep_patient adds the texts that
/// people write: protocol, description, institution.
std::string sidecar_of(const ImageSeries& series, bool keep_patient = false);

}  // namespace larmor
