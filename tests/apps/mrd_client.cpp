#include "apps/mrd_client.hpp"

#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/io/ismrmrd/reader.hpp>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

namespace larmor::test {
namespace {

struct Cursor {
  const std::string& bytes;
  std::size_t at = 0;
  bool has(std::size_t size) const { return size <= bytes.size() - at; }
  template <typename T>
  T take() {
    T value{};
    if (!has(sizeof value)) {
      at = bytes.size() + 1;
      return value;
    }
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string take_text(std::size_t size) {
    std::string text = bytes.substr(at, size);
    at += size;
    return text;
  }
};

bool take_image(Cursor& cursor, Answer& answer) {
  AnsweredImage image;
  if (!cursor.has(sizeof image.head + 8)) return false;
  image.head = cursor.take<hdf5::ImageHeaderRecord>();
  const auto attributes = cursor.take<std::uint64_t>();
  if (attributes != image.head.attribute_string_len || !cursor.has(attributes)) return false;
  image.attributes = cursor.take_text(attributes);
  const std::size_t pixel = image.head.data_type == 2 ? 2 : image.head.data_type == 7 ? 8 : 4;
  const std::size_t size = pixel * image.head.channels * image.head.matrix_size[0] *
                           image.head.matrix_size[1] * image.head.matrix_size[2];
  if (!cursor.has(size)) return false;
  const std::string pixels = cursor.take_text(size);
  const auto* first = reinterpret_cast<const std::byte*>(pixels.data());
  image.pixels.assign(first, first + size);
  answer.images.push_back(std::move(image));
  return true;
}

}  // namespace

std::vector<float> AnsweredImage::floats() const {
  std::vector<float> values(pixels.size() / sizeof(float));
  std::memcpy(values.data(), pixels.data(), pixels.size());
  return values;
}

Answer answer_of(const std::string& bytes) {
  Answer answer;
  Cursor cursor{bytes};
  while (cursor.at < bytes.size() && answer.whole) {
    const auto id = cursor.take<std::uint16_t>();
    if (id == 5) {
      const auto size = cursor.take<std::uint32_t>();
      answer.whole = cursor.at <= bytes.size() && cursor.has(size);
      if (answer.whole) answer.texts.push_back(cursor.take_text(size));
    } else if (id == 7) {
      cursor.take<std::uint64_t>();  // correlation
      const auto size = cursor.take<std::uint64_t>();
      answer.whole = cursor.at <= bytes.size() && cursor.has(size);
      if (answer.whole) answer.responses.push_back(cursor.take_text(size));
    } else if (id == 1022) {
      answer.whole = take_image(cursor, answer);
    } else {
      answer.whole = id == 4;
      answer.closed = id == 4;
    }
  }
  return answer;
}

StreamBytes recorded(const std::string& path, const Recorded& how) {
  const Scan scan = read_ismrmrd(path);
  StreamBytes bytes;
  mrd::MessageWriter writer = writer_to(bytes);
  if (how.config != nullptr) writer.config_file(how.config);
  writer.header(scan.xml_header);
  if (!how.parameters.empty()) writer.text(how.parameters);
  for (std::uint16_t repetition = 0; repetition < how.repetitions; ++repetition)
    for (Readout readout : scan.readouts) {
      if (repetition > 0 && never_imaging(readout.header) != nullptr) continue;
      readout.header.counters.repetition = repetition;
      mrd::Acquisition acquisition = mrd::make_acquisition(scan, readout);
      for (std::size_t i = acquisition.trajectory_values(); i < acquisition.numbers.size(); ++i)
        acquisition.numbers[i] *= std::pow(how.growth, static_cast<float>(repetition));
      writer.acquisition(acquisition);
    }
  if (how.close) writer.close();
  return bytes;
}

Client::Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

bool Client::send(const StreamBytes& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t now = ::send(socket_.number(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (now <= 0) return false;
    at += static_cast<std::size_t>(now);
  }
  return true;
}

bool Client::receive_more() {
  char piece[65536];
  pollfd one{socket_.number(), POLLIN, 0};
  if (::poll(&one, 1, 60000) <= 0) {
    ADD_FAILURE() << "nothing arrived for a minute";
    return false;
  }
  const ssize_t now = ::recv(socket_.number(), piece, sizeof piece, 0);
  if (now > 0) received_.append(piece, static_cast<std::size_t>(now));
  return now > 0;
}

Answer Client::receive(std::size_t enough) {
  for (;;) {
    const Answer answer = answer_of(received_);
    if (answer.images.size() >= enough || !receive_more()) return answer;
  }
}

std::string Client::receive_all() {
  while (receive_more()) {
  }
  return received_;
}

}  // namespace larmor::test
