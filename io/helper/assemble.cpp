#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/helper/assemble.hpp>
#include <larmor/io/ismrmrd/stored/acquisition_output.hpp>
#include <larmor/io/ismrmrd/stored/image_output.hpp>
#include <larmor/io/isolated/contents.hpp>
#include <larmor/io/isolated/socket.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace larmor::isolated {
namespace {

// The other process has ended: the file is not needed.
struct NobodySpeaks {};

class SocketSource : public ismrmrd::Source {
 public:
  using Source::take;
  void take(void* bytes, std::size_t size) override {
    auto* position = static_cast<std::byte*>(bytes);
    while (size > 0) {
      if (next_ == end_) receive();
      const std::size_t piece = std::min(size, end_ - next_);
      std::memcpy(position, buffer_.data() + next_, piece);
      next_ += piece;
      position += piece;
      size -= piece;
    }
  }

 private:
  void receive() {
    end_ = receive_some(helper_socket, buffer_);
    if (end_ == 0) throw NobodySpeaks();
    next_ = 0;
  }

  std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 20);
  std::size_t next_ = 0, end_ = 0;
};

int report(const std::string& message) {
  send_all(helper_socket, std::as_bytes(std::span(message)));
  return 1;
}

void write(Contents contents, const std::string& name) {
  SocketSource source;
  hdf5::Output output(name, helper_file);
  if (contents == Contents::images)
    ismrmrd::write_images(output, source);
  else
    ismrmrd::write_acquisitions(output, source);
  output.finish();
}

}  // namespace

int assemble(int word_count, char** words) {
  // 0: program, 1: version, 2: contents, 3: name
  const auto contents = word_count == 4 ? contents_of(words[2]) : std::nullopt;
  if (!contents) return 2;
  // If the size of files is limited, the write itself fails.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    if (words[1] != std::string(version()))
      return report(
          fmt::format("larmor-write is version {}, expected {}; reinstall Larmor", version(), words[1]));
    write(*contents, words[3]);
    report(writer_is_done);
    return 0;
  } catch (const std::bad_alloc&) {
    return report(fmt::format("cannot write {}: not enough memory to assemble it", words[3]));
  } catch (const std::exception& error) {
    return report(error.what());
  } catch (...) {
    return 1;
  }
}

}  // namespace larmor::isolated
