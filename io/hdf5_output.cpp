#include <larmor/core/error.hpp>
#include <larmor/io/hdf5_output.hpp>

#include <hdf5.h>

namespace larmor::hdf5 {

Output::Output(const std::string& target, bool overwrite) : target_(target, overwrite) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access, false, true);
  file_ = Handle(H5Fcreate(target_.temporary_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  require(file_);
}

void Output::require(Id status) const {
  if (status < 0) throw resource_error("cannot write {}: {}", target_.target(), last_reason());
}

Handle Output::make_group(const std::string& name) const {
  Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  require(group);
  return group;
}

void Output::write_text(Id group, const std::string& name, const std::string& text) const {
  const Handle type(H5Tcopy(H5T_C_S1));
  require(H5Tset_size(type, H5T_VARIABLE));
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr));
  const Handle dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  require(dataset);
  const char* characters = text.c_str();
  require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &characters));
}

void Output::commit() {
  if (!file_.close()) require(-1);
  target_.commit();
}

}  // namespace larmor::hdf5
