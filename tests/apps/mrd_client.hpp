#pragma once

#include "io/mrd_stream/stream_in_memory.hpp"

#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/ismrmrd/stored/records.hpp>

#include <string>
#include <vector>

namespace larmor::test {

struct AnsweredImage {
  hdf5::ImageHeaderRecord head{};
  std::string attributes;
  std::vector<std::byte> pixels;
  std::vector<float> floats() const;
};

/// What a server has sent.
struct Answer {
  std::vector<AnsweredImage> images;
  std::vector<std::string> texts;
  bool closed = false, whole = true;  ///< whole: nothing but messages
};
Answer answer_of(const std::string& bytes);

/// Config (none where null), header and all readouts of an ISMRMRD file, and close.
struct Recorded {
  const char* config = "default";
  std::string parameters{};  ///< a text after the header; empty: none
  bool close = true;
  std::uint16_t repetitions = 1;  ///< the imaging readouts so many times
  float growth = 1;               ///< each time brighter by this factor
};
StreamBytes recorded(const std::string& scan, const Recorded& how = {});

/// A connection to a server on this machine.
class Client {
 public:
  explicit Client(int port);
  /// Whether all could be sent.
  bool send(const StreamBytes& bytes);
  /// What arrives until the server closes the connection, or `enough` images are there.
  Answer receive(std::size_t enough = static_cast<std::size_t>(-1));
  /// All bytes until then.
  std::string receive_all();

 private:
  bool receive_more();
  Descriptor socket_;
  std::string received_;
};

}  // namespace larmor::test
