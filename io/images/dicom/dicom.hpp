#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/io/files/written_files.hpp>

#include <string>

namespace larmor {

/// Throws Error where no DICOM can be written, with what is missing: usage without DCMTK, resource where
/// others could have changed the library that knows it.
void require_dicom(const std::string& path);

struct DicomOptions {
  bool overwrite = false;
  /// Writes patient, study, dates and names of the series' ISMRMRD header; otherwise nothing that tells who
  /// was scanned, where and when.
  bool keep_patient = false;
};

/// Writes one DICOM file (PS3.3): MR Image Storage for a single slice, Enhanced MR Image Storage for all
/// else, every slice of every image and coil a frame. Pixels are 16-bit; RescaleSlope and RescaleIntercept
/// give the series' units back, up to 1/65535 of its range: its largest magnitude, 2 pi, or from its least to
/// its largest real number. ImagePositionPatient is
/// the centre of the first voxel in LPS millimetres. Echo time, repetition time, flip angle, field and
/// scanner come from the ISMRMRD header. Identifiers are made from the header and the pixels: the same
/// content is the same file. Complex series show the magnitude, images whose directions are not known lie in
/// the scanner's axes; both give a warning. Throws Error: usage for what DICOM cannot hold, otherwise like
/// AtomicFile.
WrittenFiles write_dicom(const std::string& path, const ImageSeries& series,
                         const DicomOptions& options = {});

}  // namespace larmor
