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

/// Reply of a server.
struct Answer {
  std::vector<AnsweredImage> images;
  std::vector<std::string> texts, responses;
  bool closed = false, whole = true;  ///< whole: complete messages only
};
Answer answer_of(const std::string& bytes);

/// Config (none if null), header and all readouts of an ISMRMRD file, then close.
struct Recorded {
  const char* config = "default";
  std::string parameters{};  ///< a text after the header; empty: none
  bool close = true;
  std::uint16_t repetitions = 1;  ///< the imaging readouts are repeated this many times
  float growth = 1;               ///< factor of intensity from one repetition to the next
};
StreamBytes recorded(const std::string& scan, const Recorded& how = {});

/// A connection to a server on this machine.
class Client {
 public:
  explicit Client(int port);
  /// False if the server closed the connection first.
  bool send(const StreamBytes& bytes);
  /// Reads until the server closes the connection or `enough` images have arrived.
  Answer receive(std::size_t enough = static_cast<std::size_t>(-1));
  /// Reads all bytes until the server closes the connection.
  std::string receive_all();

 private:
  bool receive_more();
  Descriptor socket_;
  std::string received_;
};

}  // namespace larmor::test
