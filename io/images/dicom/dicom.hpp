#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/io/files/written_files.hpp>

#include <string>

namespace larmor {

/// Throws Error if DICOM cannot be written, with what is missing: usage without DCMTK, resource if others
/// could have modified the library that uses it.
void require_dicom(const std::string& path);

struct DicomOptions {
  bool overwrite = false;
  /// Writes patient, study, dates and names of the series' ISMRMRD header; otherwise nothing that identifies
  /// who was scanned, where or when.
  bool keep_patient = false;
};

/// Writes one DICOM file (PS3.3): MR Image Storage for a single slice, otherwise Enhanced MR Image Storage,
/// with a frame for each slice of every image and coil. Pixels are 16-bit; RescaleSlope and RescaleIntercept
/// restore the series' units, up to 1/65535 of the range: its largest magnitude, 2 pi, or from its smallest
/// to its largest real number. ImagePositionPatient is the centre of the first voxel in LPS millimetres. Echo
/// time, repetition time, flip angle, field and scanner come from the ISMRMRD header. Identifiers are derived
/// from the header and the pixels: the same content gives the same file. Complex series are written as
/// magnitude; images with unknown directions get the scanner's axes; both give a warning. Throws Error: usage
/// for content that DICOM cannot hold, otherwise like AtomicFile.
WrittenFiles write_dicom(const std::string& path, const ImageSeries& series,
                         const DicomOptions& options = {});

}  // namespace larmor
