#include <larmor/io/hdf5/output.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/io/hdf5/descriptor_driver.hpp>

#include <hdf5.h>

#include <cstring>

namespace larmor::hdf5 {

Output::Output(std::string name, int descriptor)
    : name_(std::move(name)), driver_(descriptor_driver()), access_(H5Pcreate(H5P_FILE_ACCESS)) {
  const DescriptorOutput output{descriptor, &error_};
  require(H5Pset_driver(access_, driver_, &output));
  file_ = Handle(H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_));
  require(file_);
}

void Output::require(Id status) const {
  if (error_ != 0) throw resource_error("cannot write {}: {}", name_, std::strerror(error_));
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

void Output::finish() {
  require(file_.close() ? 0 : -1);
}

}  // namespace larmor::hdf5
