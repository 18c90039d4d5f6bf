#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/files/written_files.hpp>
#include <larmor/io/images/stored_images.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Files by extension: .nii .nii.gz .h5 .png .npy .cfl .dcm; a new format is a file pair and one row of the
/// table in formats.cpp.

/// Possible uses of a format.
enum class FormatUse {
  images,       ///< write_images() writes them
  numbers,      ///< read_array() reads complex numbers from them
  array,        ///< write_array() writes complex numbers to them
  maps,         ///< write_maps() writes them, and they can be read again
  description,  ///< WriteOptions::sidecar puts one beside them
  frame_times,  ///< they hold WriteOptions::frame_seconds
  patient       ///< they hold the data selected by WriteOptions::keep_patient
};
/// True if the file's extension is that of such a format.
bool is_for(FormatUse use, const std::string& path);
/// Extensions of all such formats: ".npy, .cfl".
std::string extensions_for(FormatUse use);

/// Options for writing images.
struct WriteOptions {
  bool overwrite = false;     ///< replaces files that exist
  int threads = 0;            ///< threads that compress .nii.gz; 0: all
  bool sidecar = false;       ///< writes a BIDS sidecar (JSON) beside NIfTI
  double frame_seconds = 0;   ///< between the repetitions of a series, for NIfTI and BIDS; 0: unknown
  bool keep_patient = false;  ///< DICOM and sidecars contain patient, dates and places of the header
};

/// Throws Error, before any work, unless write_images() could write this file: usage for an extension that is
/// not an image format, one for which this build lacks a library, an existing file without `overwrite`, or
/// one of the `inputs` themselves (never overwritten); resource if the folder is missing or not writable.
void check_output_path(const std::string& path, const WriteOptions& options,
                       const std::vector<std::string>& inputs = {});

/// The same for an array that write_array() could write.
void check_array_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs = {});

/// All files that belong to a path: NAME.cfl also means NAME.hdr, and NAME.nii also NAME.json with a sidecar.
std::vector<std::string> files_of(const std::string& path, bool sidecar = false);

/// Writes a series in the format of the extension; see the writers' headers for the layouts.
WrittenFiles write_images(const std::string& path, const ImageSeries& series,
                          const WriteOptions& options = {});
/// The same for one image.
WrittenFiles write_image(const std::string& path, Image image, const WriteOptions& options = {});

/// Echo times in ms of an ISMRMRD header, one for each contrast; empty if it has none.
std::vector<double> echo_times_of_header(const std::string& ismrmrd_header);

/// Numbers of an .npy, .cfl, .nii, .nii.gz or .h5 (ISMRMRD images) file, x last. Axes are as in the file for
/// .npy; in the other formats axes of length 1 before y are dropped: [(frames,) (coils,) (z,) y, x]. T:
/// double or complex<float>. Throws Error: usage for other extensions, input for damaged files and for
/// complex files with T = double, resource.
template <typename T = std::complex<float>>
Array<T> read_array(const std::string& path);

/// The same numbers with the file's information about them: position, kind and counters of the images. group:
/// of an .h5 file with several, as "dataset/image_0". Throws Error as read_array(), and input if the
/// information does not fit the numbers.
StoredImages read_images(const std::string& path, const std::string& group = "");

/// Writes numbers to an .npy or .cfl file with the axes they have. T: float, double (.npy only) or
/// complex<float>.
template <typename T>
void write_array(const std::string& path, View<const T> array, bool overwrite = false);

}  // namespace larmor
