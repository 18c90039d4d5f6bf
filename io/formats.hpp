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

/// What may be done with files of a format.
enum class FormatUse {
  images,       ///< write_images() writes them
  numbers,      ///< read_array() reads complex numbers from them
  array,        ///< write_array() writes complex numbers to them
  maps,         ///< write_maps() writes them: images that are read again
  description,  ///< WriteOptions::sidecar puts one beside them
  frame_times,  ///< they hold WriteOptions::frame_seconds
  patient       ///< they hold what WriteOptions::keep_patient is about
};
/// Whether the file's extension is one of such a format.
bool is_for(FormatUse use, const std::string& path);
/// Those of all such formats: ".npy, .cfl".
std::string extensions_for(FormatUse use);

/// How images are written.
struct WriteOptions {
  bool overwrite = false;     ///< replaces files that exist
  int threads = 0;            ///< as many compress .nii.gz; 0: all
  bool sidecar = false;       ///< NIfTI gets a JSON of BIDS beside it
  double frame_seconds = 0;   ///< between the repetitions of a series, for NIfTI and BIDS; 0: not known
  bool keep_patient = false;  ///< DICOM and sidecars name patient, dates and places, as the header does
};

/// Throws Error, before any work, unless write_images() could write this file: usage for an extension that is
/// no image format, one that this build lacks a library for, an existing file without `overwrite`, or one of
/// the `inputs` themselves (never overwritten); resource when the folder is missing or cannot be written to.
void check_output_path(const std::string& path, const WriteOptions& options,
                       const std::vector<std::string>& inputs = {});

/// The same for an array that write_array() could write.
void check_array_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs = {});

/// All files that are meant by a path: NAME.cfl means NAME.hdr too, and NAME.nii NAME.json with a sidecar.
std::vector<std::string> files_of(const std::string& path, bool sidecar = false);

/// Writes a series in the format of the extension; see the writers' headers for the layouts.
WrittenFiles write_images(const std::string& path, const ImageSeries& series,
                          const WriteOptions& options = {});
/// The same for one image.
WrittenFiles write_image(const std::string& path, Image image, const WriteOptions& options = {});

/// Echo times in ms of an ISMRMRD header, one for each contrast; empty where it has none.
std::vector<double> echo_times_of_header(const std::string& ismrmrd_header);

/// Numbers of an .npy, .cfl, .nii, .nii.gz or .h5 (ISMRMRD images) file, x last. Axes are as in the file for
/// .npy; in the other formats axes of length 1 before y are dropped: [(frames,) (coils,) (z,) y, x]. T:
/// double or complex<float>. Throws Error: usage for other extensions, input for damaged files and for
/// complex files with T = double, resource.
template <typename T = std::complex<float>>
Array<T> read_array(const std::string& path);

/// The same numbers with what the file says about them: where the images lie, what they are, and which of a
/// scan. group: of an .h5 file with several, as "dataset/image_0". Throws Error as read_array(), and input
/// where that does not fit the numbers.
StoredImages read_images(const std::string& path, const std::string& group = "");

/// Writes numbers to an .npy or .cfl file with the axes they have. T: float, double (.npy only) or
/// complex<float>.
template <typename T>
void write_array(const std::string& path, View<const T> array, bool overwrite = false);

}  // namespace larmor
