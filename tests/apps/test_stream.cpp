#include "apps/mrd_client.hpp"
#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstring>
#include <list>
#include <memory>
#include <sstream>
#include <thread>

namespace larmor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One scan for all tests of this file, and recon run's image of it: on the CPU, like recon stream here,
/// whereas recon run by default uses an available GPU for larger images.
class MrdStream : public SharedFolder<MrdStream> {
 public:
  static void make_files() {
    succeed({"simulate", at("scan.h5"), "--matrix", "32", "--coils", "4"});
    succeed({"run", at("scan.h5"), "-o", at("image.npy"), "--device", "cpu"});
  }

 protected:
  /// Largest difference from the magnitude of recon run's image, relative to its largest value.
  static double difference_from(const std::string& file, const AnsweredImage& image) {
    return largest_difference(read_array(file), image);
  }
  static double largest_difference(View<const std::complex<float>> expected, const AnsweredImage& image) {
    const std::vector<float> values = image.floats();
    if (values.size() != static_cast<std::size_t>(expected.size())) return 1;
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double magnitude = std::abs(expected[static_cast<Index>(i)]);
      largest = std::max(largest, magnitude);
      difference = std::max(difference, std::abs(magnitude - values[i]));
    }
    return difference / largest;
  }

  /// recon stream with these bytes on stdin.
  static Answer stream(const StreamBytes& bytes, const Words& more = {}, int status = 0,
                       std::string* log = nullptr) {
    write_file(at("in.mrd"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    Conditions conditions;
    conditions.launcher = {"sh", "-c", "exec \"$0\" \"$@\" < '" + at("in.mrd") + "'"};
    const Outcome outcome = recon(joined({"stream", "--device", "cpu"}, more), conditions);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    if (log != nullptr) *log = outcome.err;
    return answer_of(outcome.out);
  }
};

TEST_F(MrdStream, GivesTheImageOfReconRunWithACompleteHeader) {
  const Answer answer = stream(recorded(at("scan.h5")));
  ASSERT_TRUE(answer.whole && answer.closed);
  ASSERT_EQ(answer.images.size(), 1U);
  const AnsweredImage& image = answer.images[0];
  EXPECT_LT(difference_from(at("image.npy"), image), 1e-6);
  EXPECT_EQ(image.head.image_index, 1);
  EXPECT_EQ(image.head.image_series_index, 1);
  EXPECT_EQ(image.head.image_type, 1);
  EXPECT_EQ(image.head.data_type, 5);
  EXPECT_EQ(image.head.matrix_size[0], 32);
  EXPECT_EQ(image.head.field_of_view[0], 240);
  EXPECT_EQ(image.head.read_dir[0], 1);
  EXPECT_THAT(image.attributes, HasSubstr("<name>Keep_image_geometry</name><value>1</value>"));
}

TEST_F(MrdStream, NeedsNeitherAConfigurationNorAClose) {
  const Answer answer = stream(recorded(at("scan.h5"), {.config = nullptr, .close = false}));
  EXPECT_TRUE(answer.whole && answer.closed);
  ASSERT_EQ(answer.images.size(), 1U);
}

// Sessions without a scan, as Gadgetron's programs open them. The client that asks for noise ends itself if
// the answer is a text.
TEST_F(MrdStream, AnswersTheQuestionsOfGadgetronsClient) {
  StreamBytes noise;
  writer_to(noise).config_text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "      <gadgetronStreamConfiguration xmlns=\"http://gadgetron.sf.net/gadgetron\">\n"
      "    <gadget><name>NoiseSummary</name></gadget>\n</gadgetronStreamConfiguration>\n");
  const StreamBytes config = noise;
  writer_to(noise).close();
  const Answer nothing = stream(noise);
  EXPECT_TRUE(nothing.whole && nothing.closed);
  EXPECT_TRUE(nothing.texts.empty() && nothing.images.empty());
  // As the configuration of a scan it is left alone, with a warning.
  StreamBytes scan = recorded(at("scan.h5"), {.config = nullptr});
  scan.insert(scan.begin(), config.begin(), config.end());
  const Answer image = stream(scan);
  EXPECT_THAT(image.texts, ElementsAre(HasSubstr("WRN Gadgetron configurations are not supported")));
  EXPECT_EQ(image.images.size(), 1U);
  StreamBytes query(2 + 2 * 8, std::byte{0});  // message 6: reserved, correlation
  query[0] = std::byte{6};
  query.push_back(std::byte{4});  // length of the text, as 8 bytes
  query.resize(query.size() + 7);
  for (const char c : {'i', 'n', 'f', 'o'}) query.push_back(static_cast<std::byte>(c));
  writer_to(query).close();
  const Answer response = stream(query);
  EXPECT_TRUE(response.whole && response.closed);
  EXPECT_THAT(response.responses, ElementsAre(HasSubstr("Unknown query: info")));
}

/// A field of the first event of this name.
nlohmann::json logged(const std::string& log, const std::string& event, const std::string& fact) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (const auto json = nlohmann::json::parse(line); json["event"] == event) return json[fact];
  return {};
}

TEST_F(MrdStream, GivesTheImagesOfReconRunOnTheRecording) {
  const std::string folder = at("series");
  std::filesystem::create_directory(folder);
  // Enough spokes for coil maps from the first image alone.
  succeed({"simulate", at("full.h5"), "--matrix", "32", "--coils", "4", "--spokes", "64"});
  for (const char* config : {"default", "l2"}) {
    std::string log;
    const Answer answer =
        stream(recorded(at("full.h5"), {.config = config, .repetitions = 3, .growth = 1.5F}),
               {"--record", folder, "--session", config}, 0, &log);
    ASSERT_EQ(answer.images.size(), 3U);
    const std::string recording = logged(log, "recorded", "file");
    EXPECT_THAT(recording, testing::EndsWith(std::string("-") + config + ".h5"));
    EXPECT_EQ(read_file(recording.substr(0, recording.size() - 2) + "mrd"), read_file(at("in.mrd")));
    Words words{"run", recording, "-o", at("series.npy"), "--overwrite", "--device", "cpu"};
    if (config == std::string("l2")) words.insert(words.end(), {"--regularizer", "l2:auto"});
    succeed(words);
    const Array<std::complex<float>> expected = read_array(at("series.npy"));
    ASSERT_EQ(expected.size(), 3 * 32 * 32);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(largest_difference(expected.view().reshaped({3, 32 * 32}).slice(static_cast<Index>(i)),
                                   answer.images[i]),
                1e-6)
          << config << " image " << i;
      EXPECT_EQ(answer.images[i].head.repetition, i);
      EXPECT_EQ(answer.images[i].head.image_index, i + 1);
      EXPECT_EQ(answer.images[i].head.image_series_index, 1);
    }
  }
}

TEST_F(MrdStream, LeavesOutAndCountsWhatComesTooLateInRealTime) {
  const Answer answer = stream(
      recorded(at("scan.h5"), {.parameters = R"({"parameters": {"real_time": true}})", .repetitions = 40}));
  ASSERT_FALSE(answer.images.empty());
  ASSERT_LT(answer.images.size(), 40U);
  EXPECT_EQ(answer.images.back().head.repetition, 39);
  EXPECT_THAT(answer.texts, ElementsAre(HasSubstr(std::to_string(40 - answer.images.size()) +
                                                  " repetitions were skipped")));
}

TEST_F(MrdStream, MakesAnImageOfAnAbortedScan) {
  StreamBytes bytes = recorded(at("scan.h5"), {.close = false});
  bytes.resize(bytes.size() - 100);  // ends within the last readout
  const Answer answer = stream(bytes, {}, 3);
  EXPECT_TRUE(answer.whole && answer.closed);
  EXPECT_EQ(answer.images.size(), 1U);
  EXPECT_THAT(answer.texts, ElementsAre(HasSubstr("ERR the stream ends within message")));
}

TEST_F(MrdStream, ListsTheConfigurationsThatThereAre) {
  write_file(at("brain.json"), R"({"regularizer": "l2:0.01"})");
  const Answer answer = stream(recorded(at("scan.h5"), {.config = "nothing"}), {"--recipes", at("")}, 3);
  stream(recorded(at("scan.h5"), {.config = "nothing"}), {"--recipes", at(""), "--session", "one"}, 3);
  EXPECT_TRUE(answer.closed);
  ASSERT_THAT(answer.texts, ElementsAre(HasSubstr("ERR unknown configuration 'nothing'")));
  EXPECT_THAT(answer.texts[0], HasSubstr("brain, default"));
  EXPECT_TRUE(answer.images.empty());
}

TEST_F(MrdStream, TakesRecipesOfTheFolderAsReconRunTakesOptions) {
  succeed({"run", at("scan.h5"), "-o", at("l2.npy"), "--regularizer", "l2:0.02", "--device", "cpu"});
  write_file(at("first.json"), R"({"regularizer": ["l2:0.02"]})");
  write_file(at("second.toml"), "[run]\nregularizer = [\"l2:0.02\"]\n");
  for (const char* config : {"first", "second.toml"}) {
    const Answer answer = stream(recorded(at("scan.h5"), {.config = config}), {"--recipes", at("")});
    ASSERT_EQ(answer.images.size(), 1U) << config;
    EXPECT_LT(difference_from(at("l2.npy"), answer.images[0]), 1e-6) << config;
  }
  const Answer by_parameters = stream(
      recorded(at("scan.h5"),
               {.config = "openrecon",
                .parameters = R"({"parameters": {"config": "l2", "regularizer": "l2:0.02", "other": 1}})"}));
  ASSERT_EQ(by_parameters.images.size(), 1U);
  EXPECT_LT(difference_from(at("l2.npy"), by_parameters.images[0]), 1e-6);
}

TEST_F(MrdStream, ReadsNoFileThatAClientNames) {
  const Answer answer =
      stream(recorded(at("scan.h5"), {.parameters = R"({"parameters": {"noise": "/etc/passwd"}})"}), {}, 3);
  EXPECT_THAT(answer.texts, ElementsAre(HasSubstr("may name a file")));
}

TEST_F(MrdStream, SendsIntegersWithWindowAndScale) {
  const Answer answer =
      stream(recorded(at("scan.h5"), {.parameters = R"({"parameters": {"pixels": "int16"}})"}));
  ASSERT_EQ(answer.images.size(), 1U);
  EXPECT_EQ(answer.images[0].head.data_type, 2);
  std::int16_t largest = 0;
  for (std::size_t i = 0; i < answer.images[0].pixels.size(); i += 2) {
    std::int16_t value = 0;
    std::memcpy(&value, answer.images[0].pixels.data() + i, 2);
    largest = std::max(largest, value);
  }
  EXPECT_EQ(largest, 4095);
  EXPECT_THAT(answer.images[0].attributes, HasSubstr("<name>WindowWidth</name><value>4096</value>"));
}

/// A server on a free port.
class MrdServer : public MrdStream {
 protected:
  void start(const Words& more = {}) {
    server_ = std::make_unique<ReconProcess>(
        joined({"serve", "--port", "0", "--threads", "1", "--device", "cpu"}, more));
    for (int turn = 0; turn < 600 && port_ == 0; ++turn) {
      const std::string log = server_->err_so_far();
      if (const std::size_t end = log.find('\n'); end != std::string::npos) {
        const auto listening = nlohmann::json::parse(log.substr(0, end));
        port_ = listening["port"];
        status_port_ = listening.value("status_port", 0);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ASSERT_NE(port_, 0) << server_->err_so_far();
  }
  void stop() {
    const pid_t server = server_->id();
    server_->send(SIGTERM);
    const Outcome ended = server_->wait();
    EXPECT_EQ(ended.status, 0);
    std::istringstream log(ended.err);
    for (std::string line; std::getline(log, line);)
      EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_object()) << line;
    EXPECT_TRUE(children_of(server).empty());
  }
  void expect_image() {
    Client client(port_);
    EXPECT_TRUE(client.send(recorded(at("scan.h5"))));
    const Answer answer = client.receive();
    EXPECT_TRUE(answer.closed);
    ASSERT_EQ(answer.images.size(), 1U);
    EXPECT_LT(difference_from(at("image.npy"), answer.images[0]), 1e-6);
  }

  std::unique_ptr<ReconProcess> server_;
  int port_ = 0, status_port_ = 0;
};

/// The answer to an HTTP request.
std::string answer_to(const std::string& request, int port) {
  Client client(port);
  const auto* bytes = reinterpret_cast<const std::byte*>(request.data());
  EXPECT_TRUE(client.send({bytes, bytes + request.size()}));
  return client.receive_all();
}

TEST_F(MrdServer, TellsWhatItDoesOnASecondPort) {
  start({"--status-port", "0"});
  ASSERT_NE(status_port_, 0);
  const auto get = [&](const std::string& path) {
    return answer_to("GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n", status_port_);
  };
  Client silent(status_port_), half(status_port_);  // they wait without blocking others
  EXPECT_TRUE(half.send(StreamBytes(3, std::byte{'G'})));
  std::list<Client> more;  // than the server keeps
  for (int i = 0; i < 20; ++i) more.emplace_back(status_port_);
  EXPECT_THAT(get("/healthz"),
              testing::AllOf(HasSubstr("HTTP/1.1 200 OK\r\n"), testing::EndsWith("\r\n\r\nok\n")));
  EXPECT_THAT(get("/metrics"), HasSubstr("\nlarmor_images_total 0\n"));
  Client client(port_);
  EXPECT_TRUE(client.send(recorded(at("scan.h5"), {.config = "l2", .repetitions = 2})));
  EXPECT_EQ(client.receive().images.size(), 2U);
  std::string metrics;
  for (int turn = 0; turn < 100 && metrics.find("larmor_sessions 0\n") == std::string::npos; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    metrics = get("/metrics");
  }
  EXPECT_THAT(metrics, HasSubstr("\nlarmor_images_total 2\n"));
  EXPECT_THAT(metrics, HasSubstr("\nlarmor_readouts_total 64\n"));
  EXPECT_THAT(metrics, HasSubstr("\nlarmor_sessions_started_total 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\nlarmor_image_seconds_count 2\n"));
  EXPECT_THAT(get("/"), HasSubstr("<p>0 sessions under way, 1 started, 0 crashed; 2 images, 0 errors;"));
  Client waits(port_);
  EXPECT_TRUE(waits.send(recorded(at("scan.h5"), {.config = "l2", .close = false, .repetitions = 2})));
  EXPECT_EQ(waits.receive(2).images.size(), 2U);
  std::string page;
  for (int turn = 0; turn < 100 && page.find("<td>64</td><td>2</td>") == std::string::npos; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    page = get("/");
  }
  EXPECT_THAT(page, HasSubstr("<td>l2</td><td>64</td><td>2</td><td>0</td>"));
  EXPECT_THAT(get("/passwords"), HasSubstr("HTTP/1.1 404"));
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\n\r\n", status_port_), HasSubstr("HTTP/1.1 405"));
  Client endless(status_port_);
  endless.send(StreamBytes(20000, std::byte{'G'}));  // the server need not read all of it
  EXPECT_EQ(endless.receive_all(), "");
  stop();
}

TEST_F(MrdServer, SendsImagesBeforeTheClientCloses) {
  start();
  Client client(port_);
  const StreamBytes both = recorded(at("scan.h5"), {.close = false, .repetitions = 2});
  const StreamBytes one = recorded(at("scan.h5"), {.close = false});
  const auto readout = static_cast<std::ptrdiff_t>((both.size() - one.size()) / 2);
  EXPECT_TRUE(client.send({both.begin(), both.begin() + static_cast<std::ptrdiff_t>(one.size()) + readout}));
  EXPECT_EQ(client.receive(1).images.size(), 1U);
  StreamBytes rest(both.begin() + static_cast<std::ptrdiff_t>(one.size()) + readout, both.end());
  writer_to(rest).close();
  EXPECT_TRUE(client.send(rest));
  const Answer answer = client.receive();
  EXPECT_TRUE(answer.closed);
  ASSERT_EQ(answer.images.size(), 2U);
  EXPECT_EQ(answer.images[1].head.repetition, 1);
  stop();
}

TEST_F(MrdServer, TellsTheClientOfASessionThatCrashed) {
  start();
  Client client(port_);
  EXPECT_TRUE(client.send(recorded(at("scan.h5"), {.close = false})));
  std::vector<pid_t> sessions;
  while ((sessions = children_of(server_->id())).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(sessions.size(), 1U);
  ::kill(sessions[0], SIGKILL);
  const Answer answer = client.receive();
  EXPECT_TRUE(answer.closed);
  EXPECT_THAT(answer.texts, ElementsAre(HasSubstr("the session ended by signal 9")));
  expect_image();
  stop();
}

TEST_F(MrdServer, EndsItsSessionsAlsoIfItIsKilled) {
  start();
  Client client(port_);
  EXPECT_TRUE(client.send(recorded(at("scan.h5"), {.close = false})));
  EXPECT_EQ(client.receive(1).images.size(), 1U);
  server_->send(SIGKILL);
  server_->wait();
  EXPECT_EQ(client.receive().images.size(), 1U);  // the connection ends
}

TEST_F(MrdServer, ServesOthersBesideClientsThatSayNothingAndEndsThese) {
  start({"--time-out", "1", "--sessions", "2"});
  Client silent(port_), second(port_), third(port_);  // the third has to wait
  const StreamBytes scan = recorded(at("scan.h5"));
  EXPECT_TRUE(second.send({scan.begin(), scan.begin() + 500}));  // and nothing more
  EXPECT_TRUE(third.send(scan));
  EXPECT_EQ(third.receive().images.size(), 1U);
  for (Client* client : {&silent, &second}) {
    const Answer answer = client->receive();
    EXPECT_TRUE(answer.closed);
    EXPECT_THAT(answer.texts, ElementsAre(HasSubstr("ERR nothing arrived for 1 s")));
  }
  stop();
}

TEST_F(MrdServer, KeepsNoiseForTheScansThatReferToIt) {
  const std::string folder = at("noise");
  std::filesystem::create_directory(folder);
  start({"--record", folder});
  // As Gadgetron's clients do: a session that only measures noise, with an identifier in its header.
  const Scan scan = read_ismrmrd(at("scan.h5"));
  const auto with = [&](const std::string& facts) {
    std::string xml = scan.xml_header;
    xml.insert(xml.find("</measurementInformation>"), facts);
    return xml;
  };
  const auto send = [&](const std::string& facts, bool noise) {
    StreamBytes stream;
    mrd::MessageWriter writer = writer_to(stream);
    writer.header(with(facts));
    for (const Readout& readout : scan.readouts)
      if (readout.header.has(AcquisitionFlag::noise) == noise)
        writer.acquisition(mrd::make_acquisition(scan, readout));
    writer.close();
    Client client(port_);
    EXPECT_TRUE(client.send(stream));
    return client.receive();
  };
  for (const char* other : {"45/7", "45 7"})
    EXPECT_TRUE(send(std::string("<measurementID>") + other + "</measurementID>", true).closed);
  for (const char* file : {"noise-45%2F7.h5", "noise-45%207.h5"})
    EXPECT_THAT(names_in(folder), testing::Contains(file));
  const Answer kept = send("<measurementID>45_7</measurementID>", true);
  EXPECT_TRUE(kept.closed);
  EXPECT_TRUE(kept.texts.empty()) << kept.texts[0];
  EXPECT_THAT(names_in(folder), testing::Contains("noise-45_7.h5"));
  const std::string refers =
      "<measurementDependency><dependencyType>Noise</dependencyType>"
      "<measurementID>45_7</measurementID></measurementDependency>";
  const Answer answer = send(refers, false);
  ASSERT_EQ(answer.images.size(), 1U);
  EXPECT_LT(difference_from(at("image.npy"), answer.images[0]), 1e-6);
  stop();
}

}  // namespace
}  // namespace larmor::test
