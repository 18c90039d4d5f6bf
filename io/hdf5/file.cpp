#include <larmor/core/format_error.hpp>
#include <larmor/io/hdf5/file.hpp>

#include <hdf5.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

namespace larmor::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t little_endian(const std::uint8_t* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

// The end of the file according to the file itself. HDF5 File Format Specification 3.0, section II.A: the
// signature is at 0, 512, 1024, ...; the fields after it depend on the version of the block.
std::uint64_t stored_end(std::span<const std::uint8_t> file, const std::string& name) {
  constexpr std::array<std::uint8_t, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  for (std::size_t start = 0; start + signature.size() <= file.size(); start = start == 0 ? 512 : 2 * start) {
    if (!std::equal(signature.begin(), signature.end(), file.begin() + static_cast<std::ptrdiff_t>(start)))
      continue;
    std::array<std::uint8_t, 96> block{};
    std::memcpy(block.data(), file.data() + start, std::min(block.size(), file.size() - start));
    const int version = block[8];
    const bool old = version < 2;
    const int address_bytes = old ? block[13] : block[9];
    if (version > 3 || (address_bytes != 2 && address_bytes != 4 && address_bytes != 8))
      throw input_error("cannot read {}: its HDF5 superblock is damaged (version {}, {}-byte addresses)",
                        name, version, address_bytes);
    const std::uint8_t* addresses = block.data() + (old ? (version == 0 ? 24 : 28) : 12);
    return little_endian(addresses + 2 * address_bytes, address_bytes);
  }
  // Each session begins with the number of message 1, 2 or 3: a configuration or the header.
  if (file.size() > 2 && file[0] >= 1 && file[0] <= 3 && file[1] == 0)
    throw input_error(
        "{} is not an HDF5 file; it begins like a stream of MRD messages, which recon stream reads", name);
  throw input_error("{} is not an HDF5 file; expected ISMRMRD raw data in HDF5", name);
}

// The library calls these functions for memory of the file's image and copies of it; all get the mapping.
void* same_memory(std::size_t, H5FD_file_image_op_t, void* mapping) {
  return mapping;
}
void* no_copy(void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) {
  return to;
}
void* never_larger(void*, std::size_t, H5FD_file_image_op_t, void*) {
  return nullptr;
}
herr_t keep(void*, H5FD_file_image_op_t, void*) {
  return 0;
}
void* same_data(void* mapping) {
  return mapping;
}
herr_t keep_data(void*) {
  return 0;
}

Handle open_image(std::span<const std::uint8_t> file, const std::string& name) {
  // Filters are not loaded from plug-in folders.
  H5PLset_loading_state(0);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  // Nothing is written to the image of a file opened for reading.
  void* mapping = const_cast<std::uint8_t*>(file.data());
  H5FD_file_image_callbacks_t callbacks{same_memory, no_copy,   never_larger, keep,
                                        same_data,   keep_data, mapping};
  if (H5Pset_fapl_core(access, 1 << 16, false) < 0 || H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
      H5Pset_file_image(access, mapping, file.size()) < 0)
    throw internal_error("HDF5: {}", last_reason());
  // The library treats files in memory with equal names as the same file.
  const std::string unique = fmt::format("{} at {}", name, mapping);
  Handle handle(H5Fopen(unique.c_str(), H5F_ACC_RDONLY, access));
  if (!handle.valid()) throw input_error("cannot read {}: {}", name, last_reason());
  return handle;
}

}  // namespace

MappedFile::MappedFile(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw input_error("cannot read {}: {}", name, std::strerror(errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) throw input_error("{} is empty (0 bytes); expected an HDF5 file", name);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) throw resource_error("cannot map {}: {}", name, std::strerror(errno));
  bytes_ = {static_cast<const std::uint8_t*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

File::File(MappedFile mapping, const std::string& name) : name_(name), mapping_(std::move(mapping)) {
  const auto all = mapping_.bytes();
  const std::uint64_t end = stored_end(all, name);
  if (all.size() < end)
    throw input_error("{} is truncated: {} of {} bytes; copy it again", name, all.size(), end);
  handle_ = open_image(all, name);
  const Handle properties(H5Fget_create_plist(handle_));
  std::size_t address_bytes = 0, length_bytes = 0;
  hsize_t user_block = 0;
  if (H5Pget_sizes(properties, &address_bytes, &length_bytes) < 0 ||
      H5Pget_userblock(properties, &user_block) < 0 || user_block > all.size())
    throw input_error("cannot read {}: {}", name, last_reason());
  if (address_bytes != 8 || length_bytes != 8)
    throw input_error("{} has addresses of an unusual size, which cannot be checked; write the file again",
                      name);
  bytes_ = all.subspan(user_block);
}

}  // namespace larmor::hdf5
