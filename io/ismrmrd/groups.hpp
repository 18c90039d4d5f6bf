#pragma once

#include <larmor/io/hdf5/handle.hpp>

#include <string>
#include <vector>

namespace larmor {

/// Groups of the file that hold ISMRMRD acquisitions: a table "data" with the columns head, traj and data.
/// "/" stands for the file itself. Throws Error (input) when the file is not HDF5, or truncated.
std::vector<std::string> ismrmrd_groups(const std::string& path);

/// One line that says what an HDF5 file holds in place of ISMRMRD raw data, and what it looks like.
std::string describe_hdf5(const std::string& path);

namespace hdf5 {

/// ismrmrd_groups() and describe_hdf5() of an open file.
std::vector<std::string> acquisition_groups(Id file);
std::string describe_contents(Id file);
/// Groups with images as write_ismrmrd_images() and the ISMRMRD library write them: header, data and
/// attributes, each as "dataset/image_0".
std::vector<std::string> image_groups(Id file);
/// The group to read: the wanted one, or the only one. Throws Error (input) when there is none, listing what
/// there is, or when there are several and none was wanted.
std::string choose_group(Id file, const std::string& path, const std::string& wanted);
/// "group/name", also for the root group.
std::string child_path(const std::string& group, const std::string& name);

}  // namespace hdf5
}  // namespace larmor
