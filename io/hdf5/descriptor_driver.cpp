#include <larmor/io/hdf5/descriptor_driver.hpp>

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

namespace larmor::hdf5 {
namespace {

struct OpenFile : H5FD_t {
  DescriptorOutput output{};
  haddr_t allocated = 0, end = 0;  // the end of the space in use, and of the file
};

OpenFile& of(H5FD_t* file) {
  return *static_cast<OpenFile*>(file);
}
const OpenFile& of(const H5FD_t* file) {
  return *static_cast<const OpenFile*>(file);
}

H5FD_t* open(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*most*/) {
  auto* const file = new (std::nothrow) OpenFile{};
  if (file != nullptr) file->output = *static_cast<const DescriptorOutput*>(H5Pget_driver_info(access));
  return file;
}

herr_t close(H5FD_t* file) {
  delete &of(file);
  return 0;
}

// As those of the library's driver of files in memory.
herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return of(file).allocated;
}

herr_t allocate(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  of(file).allocated = end;
  return 0;
}

haddr_t end_of(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return of(file).end;
}

herr_t read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t size,
            void* bytes) {
  auto* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pread(of(file).output.descriptor, to, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) {  // space that has not been written
      std::memset(to, 0, size);
      break;
    }
    to += count;
    at += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t size,
             const void* bytes) {
  OpenFile& to = of(file);
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0 && *to.output.error == 0) {
    const ssize_t count = ::pwrite(to.output.descriptor, from, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      *to.output.error = count < 0 ? errno : ENOSPC;
      break;
    }
    from += count;
    at += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  to.end = std::max(to.end, at);
  return 0;
}

// Makes the file as long as the space in use.
herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  OpenFile& to = of(file);
  if (to.end == to.allocated || *to.output.error != 0) return 0;
  if (::ftruncate(to.output.descriptor, static_cast<off_t>(to.allocated)) != 0) *to.output.error = errno;
  to.end = to.allocated;
  return 0;
}

// Since HDF5 1.14, drivers have the version of their structure, and a number: 256 is the first that the
// library does not use.
template <typename Class>
void set_version(Class& driver) {
  if constexpr (requires { driver.version; }) {
    driver.version = 1;
    driver.value = 256;
  }
}

H5FD_class_t driver_class() {
  constexpr H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  H5FD_class_t driver{};
  set_version(driver);
  driver.name = "descriptor";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DescriptorOutput);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = allocated;
  driver.set_eoa = allocate;
  driver.get_eof = end_of;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  std::copy(std::begin(kinds), std::end(kinds), driver.fl_map);
  return driver;
}

}  // namespace

Handle descriptor_driver() {
  static const H5FD_class_t driver = driver_class();
  return Handle(H5FDregister(&driver));
}

}  // namespace larmor::hdf5
