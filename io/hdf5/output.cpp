#include <larmor/io/hdf5/output.hpp>

#include <larmor/core/format_error.hpp>

#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace larmor::hdf5 {

Output::Output(std::string name) : name_(std::move(name)), access_(H5Pcreate(H5P_FILE_ACCESS)) {
  constexpr std::size_t growth = std::size_t{4} << 20;
  require(H5Pset_fapl_core(access_, growth, false));
  // The name is never used; it differs from that of any other open file.
  file_ = Handle(H5Fcreate((name_ + ".in-memory").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_));
  require(file_);
}

void Output::require(Id status) const {
  if (status < 0) throw resource_error("cannot write {}: {}", name_, last_reason());
}

Handle Output::make_group(const std::string& name) const {
  Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  require(group);
  return group;
}

Handle Output::dataset_properties() const {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  require(H5Pset_obj_track_times(properties, false));
  return properties;
}

void Output::write_text(Id group, const std::string& name, const std::string& text) const {
  const Handle type(H5Tcopy(H5T_C_S1));
  require(H5Tset_size(type, H5T_VARIABLE));
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr));
  const Handle dataset(
      H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, dataset_properties(), H5P_DEFAULT));
  require(dataset);
  const char* characters = text.c_str();
  require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &characters));
}

void Output::write_to(int descriptor) {
  require(H5Fflush(file_, H5F_SCOPE_GLOBAL));
  // For files in memory this is the address of the pointer to their bytes.
  void* handle = nullptr;
  require(H5Fget_vfd_handle(file_, access_, &handle));
  // The bytes in memory that belong to the file; the memory grows in large steps.
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  if (size < 0) require(-1);
  const auto* position = *static_cast<const char**>(handle);
  for (auto rest = static_cast<std::size_t>(size); rest > 0;) {
    const ssize_t written = ::write(descriptor, position, rest);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw resource_error("cannot write {}: {}", name_, std::strerror(written < 0 ? errno : ENOSPC));
    position += written;
    rest -= static_cast<std::size_t>(written);
  }
  if (!file_.close()) require(-1);
}

}  // namespace larmor::hdf5
