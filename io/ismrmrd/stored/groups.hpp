#pragma once

#include <larmor/io/hdf5/links.hpp>

#include <initializer_list>
#include <string>
#include <vector>

// Content of an HDF5 file; not part of the public interface.

namespace larmor::hdf5 {

/// True for a dataset of compounds that have these members.
bool is_table(const File& file, const std::string& path, std::initializer_list<const char*> columns);
/// Groups of the file that hold ISMRMRD acquisitions: a table "data" with the columns head, traj and data.
/// "/" stands for the file itself.
std::vector<std::string> acquisition_groups(const File& file);
/// One line that describes the content of an HDF5 file without ISMRMRD raw data.
std::string describe_contents(const File& file);
/// Groups with images as write_ismrmrd_images() and the ISMRMRD library write them: header, data and
/// attributes, each as "dataset/image_0".
std::vector<std::string> image_groups(const File& file);
/// The group to read: the requested one, or the only one. Throws Error (input), listing what there is, if
/// there is none, or if there are several and none was requested.
std::string choose_group(const File& file, const std::string& wanted);
/// "group/name", also for the root group.
std::string child_path(const std::string& group, const std::string& name);

}  // namespace larmor::hdf5
