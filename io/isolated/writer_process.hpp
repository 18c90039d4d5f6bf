#pragma once

#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/isolated/contents.hpp>

#include <sys/types.h>

#include <string>
#include <type_traits>
#include <vector>

// Not part of the public interface.

namespace larmor::isolated {

/// Throws Error (resource) if its program does not exist, or cannot be trusted.
void require_writer();

/// A process that assembles an HDF5 file from the data sent to it and writes it: the HDF5 library is not
/// loaded in this process, which may have another copy of it. It ends with this object at the latest.
class WriterProcess {
 public:
  /// contents: images or acquisitions; `target` must outlive this object; `helper` is the program, empty: the
  /// installed one. Throws Error (resource) if the process cannot be started.
  WriterProcess(Contents contents, const AtomicFile& target, const std::string& helper = "");
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;
  ~WriterProcess();

  /// The next bytes. Throws Error (resource) with the error reported by the process.
  void put(const void* bytes, std::size_t size);
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(&value, sizeof value);
  }
  void put_text(const std::string& text);
  /// Waits until everything is written. Throws Error (resource).
  void finish();

 private:
  void send(const char* bytes, std::size_t size);
  std::string answer() const;
  std::string failure(const std::string& said);

  std::string name_;
  Descriptor socket_;
  pid_t process_ = -1;
  std::vector<char> waiting_;  // small items that are sent together
};

}  // namespace larmor::isolated
