#include <larmor/apps/serve/stream_session.hpp>
#include <larmor/apps/serve/zfp_samples.hpp>
#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/mrd_stream/streamed_scan.hpp>
#include <larmor/options/errors.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/options/stopwatch.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <new>
#include <variant>

namespace larmor::app {
namespace {

/// A readout from the middle of an image's readouts.
const mrd::Acquisition* readout_of(const Image& image, const std::vector<mrd::Acquisition>& readouts) {
  std::vector<const mrd::Acquisition*> of_image;
  for (const mrd::Acquisition& readout : readouts)
    if (readout.header.counters == image.counters) of_image.push_back(&readout);
  if (of_image.empty()) return readouts.empty() ? nullptr : &readouts[readouts.size() / 2];
  return of_image[of_image.size() / 2];
}

std::vector<long> geometry_of(const Image& image) {
  std::vector<long> key;
  for (int axis = 0; axis < image.pixels.shape().rank(); ++axis)
    key.push_back(static_cast<long>(image.pixels.shape()[axis]));
  for (const double length : image.geometry.fov_mm) key.push_back(std::lround(1e3 * length));
  return key;
}

/// Options that couple images of different counters need all readouts first.
bool couples_images(const Recipe& recipe) {
  NamedOptions named;
  for (const auto& [name, value] : recipe.options) {
    for (const char* couples : {"window", "bins", "basis", "dictionary"})
      if (name == couples) return true;
    if (name == "regularizer") named.set(name, value);
  }
  return has_frame_term(named.options().solve);
}

}  // namespace

StreamSession::StreamSession(const StreamOptions& options, MessagesAhead& messages, mrd::MessageWriter writer,
                             Context& ctx, const SessionLog& log)
    : options_(options),
      messages_(messages),
      writer_(std::move(writer)),
      ctx_(ctx),
      log_(log),
      recipes_(options.recipes) {
  use(recipes_.named(""));
}

void StreamSession::use(Recipe recipe) {
  recipe_ = std::move(recipe);
  waits_for_end_ = couples_images(recipe_);
}

bool StreamSession::run() {
  Stopwatch total;
  try {
    take_messages();
  } catch (const Error& error) {
    if (error.error_class() == ErrorClass::cancelled) throw;
    fail(message_of(error));
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  }
  if (!pending_.empty()) complete(nullptr);
  if (imaging_ == 0 && !fixed_.empty()) store_noise();
  if (compressed_ > 0)
    writer_.warning(fmt::format(
        "{} compressed readouts were skipped: {}; switch compression off in the client", compressed_,
        zfp_samples() ? "they are damaged, or not compressed with ZFP"
                      : "this program was built without ZFP"));
  if (late_ > 0) {
    writer_.warning(
        fmt::format("{} repetitions were skipped: reconstruction is slower than the measurement", late_));
    log_.event("left_out", {{"repetitions", late_}});
  }
  if (imaging_ > 0 && images_ == 0 && well_) fail("the readouts gave no image");
  log_.event("end", {{"messages", messages_.count()},
                     {"readouts", imaging_},
                     {"skipped", skipped_},
                     {"images", images_},
                     {"seconds", total.seconds()},
                     {"peak_bytes", peak_resident_bytes()}});
  writer_.close();
  return well_;
}

void StreamSession::fail(const std::string& message) {
  well_ = false;
  log_.event("error", {{"message", message}});
  writer_.error(message);
}

void StreamSession::take_messages() {
  while (std::optional<mrd::Message> message = messages_.next())
    if (!take(*message)) return;
  if (header_.empty() && messages_.count() == 0)
    return;  // the client has disconnected without sending anything
  log_.event("no_close");
}

bool StreamSession::take(mrd::Message& message) {
  if (std::holds_alternative<mrd::Close>(message)) return false;
  if (auto* config = std::get_if<mrd::ConfigFile>(&message)) {
    use(recipes_.named(config->name));
    log_.event("config", {{"asked", config->name}, {"recipe", recipe_.name}});
  } else if (auto* text = std::get_if<mrd::ConfigText>(&message)) {
    // Before a scan, Gadgetron's client asks in XML whether a noise measurement exists, in a session without
    // header. It ends itself if a text is the answer.
    foreign_config_ = text->text.find("<gadgetronStreamConfiguration") != std::string::npos;
    if (!foreign_config_) use(recipe_of_text(text->text));
  } else if (auto* header = std::get_if<mrd::Header>(&message)) {
    if (!header_.empty()) throw input_error("a second header arrived; a session has only one");
    header_ = std::move(header->xml);
    if (foreign_config_) writer_.warning("Gadgetron configurations are not supported; the default is used");
    log_.event("header", {{"bytes", header_.size()}});
  } else if (auto* parameters = std::get_if<mrd::Text>(&message)) {
    take_text(parameters->text);
  } else if (auto* query = std::get_if<mrd::Query>(&message)) {
    writer_.response(query->correlation, "Unknown query: " + query->text);
  } else if (auto* acquisition = std::get_if<mrd::Acquisition>(&message)) {
    take(std::move(*acquisition));
  } else {
    ++skipped_;
  }
  return true;
}

// OpenRecon's parameters; other texts are ignored.
void StreamSession::take_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return log_.event("text", {{"text", text}});
  if (imaging_ > 0) throw input_error("parameters arrived after readouts; send them before");
  std::vector<std::string> others;
  use(with_parameters(recipe_, text, recipes_, others));
  log_.event("parameters", {{"recipe", recipe_.name}, {"left_alone", others}});
}

void StreamSession::require_memory(const mrd::Acquisition& acquisition) {
  bytes_ += acquisition.bytes();
  if (bytes_ > ctx_.memory_limit() / 2)
    throw resource_error("the readouts of one image need more than {}, half of the memory that may be used",
                         format_bytes(ctx_.memory_limit() / 2))
        .about("memory");
}

void StreamSession::take(mrd::Acquisition acquisition) {
  if (header_.empty())
    throw input_error("a readout arrived before the header; send the ISMRMRD header (message 3) first");
  if (acquisition.compressed) {
    ++compressed_;
    return;
  }
  const ReadoutHeader header = acquisition.header;
  if (never_imaging(header) != nullptr) {
    if (!header.has(AcquisitionFlag::noise) && !header.has(AcquisitionFlag::calibration)) {
      ++skipped_;
    } else {
      require_memory(acquisition);
      fixed_.push_back(std::move(acquisition));
      *protocol_ = {};
    }
  } else {
    const bool later =
        !pending_.empty() && pending_.back().header.counters.repetition != header.counters.repetition;
    if (later && !waits_for_end_) complete(nullptr);
    if (std::find(done_.begin(), done_.end(), header.counters) != done_.end()) {
      writer_.warning(
          fmt::format("readouts of slice {} of repetition {} arrived after the one flagged as the last: they "
                      "form another image",
                      header.counters.slice, header.counters.repetition));
      done_.clear();
    }
    require_memory(acquisition);
    ++imaging_;
    pending_.push_back(std::move(acquisition));
  }
  if (waits_for_end_ || pending_.empty()) return;
  if (header.has(AcquisitionFlag::last_in_repetition) || header.has(AcquisitionFlag::last_in_measurement))
    complete(nullptr);
  else if (header.has(AcquisitionFlag::last_in_slice) && never_imaging(header) == nullptr)
    complete(&header.counters);
}

// null: all images that have arrived
void StreamSession::complete(const ImageCounters* which) {
  std::vector<mrd::Acquisition> readouts, others;
  if (which == nullptr) {
    readouts.swap(pending_);
    done_.clear();
  } else {
    for (mrd::Acquisition& readout : pending_)
      (readout.header.counters == *which ? readouts : others).push_back(std::move(readout));
    pending_ = std::move(others);
    done_.push_back(*which);
  }
  for (const mrd::Acquisition& readout : readouts) bytes_ -= readout.bytes();
  if (!is_late(readouts)) reconstruct_and_send(readouts);
}

// In real time an image is useless once a later one is complete.
bool StreamSession::is_late(const std::vector<mrd::Acquisition>& readouts) {
  if (!recipe_.real_time || messages_.readouts_waiting() < readouts.size()) return false;
  ++late_;
  return true;
}

void StreamSession::reconstruct_and_send(const std::vector<mrd::Acquisition>& readouts) {
  Stopwatch clock;
  try {
    const Reconstruction result = reconstruct(readouts);
    keep_lambda(result.report);
    send(result, readouts);
    nlohmann::ordered_json stages;
    for (const auto& [stage, seconds] : result.report.times.seconds) stages[stage] = seconds;
    log_.event("images", {{"readouts", readouts.size()},
                          {"images", result.series.images.size()},
                          {"seconds", clock.seconds()},
                          {"stages", stages}});
  } catch (const Error& error) {
    if (error.error_class() == ErrorClass::cancelled) throw;
    fail(message_of(error));
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  }
}

Reconstruction StreamSession::reconstruct(const std::vector<mrd::Acquisition>& readouts) {
  std::vector<const mrd::Acquisition*> all;
  for (const auto* part : {&std::as_const(fixed_), &readouts})
    for (const mrd::Acquisition& readout : *part) all.push_back(&readout);
  NamedOptions named;
  bool external_trajectory = false, noise_given = false;
  for (const auto& [name, value] : recipe_.options) {
    named.set(name, value);
    external_trajectory |= name == "trajectory" || name == "generate";
    noise_given |= name == "noise" || name == "no_whiten";
  }
  const std::string noise = mrd::measurement_ids_of(header_).noise;
  const bool noise_there = std::any_of(fixed_.begin(), fixed_.end(), [](const auto& readout) {
    return readout.header.has(AcquisitionFlag::noise);
  });
  if (!noise.empty() && !noise_given && !noise_there) {
    const std::string file = noise_file(noise);
    std::error_code unknown;
    if (!file.empty() && std::filesystem::exists(file, unknown)) {
      named.set("noise", file);
    } else if (!std::exchange(wants_noise_, true)) {
      writer_.warning(fmt::format(
          "the noise measurement {} named in the header is not available: coils are not whitened", noise));
    }
  }
  named.set_protocol(protocol_);
  Scan scan = mrd::scan_of(
      header_, all, "the stream",
      {.memory_limit = ctx_.memory_limit(), .external_trajectory = external_trajectory, .workers = &ctx_});
  for (const std::string& warning : scan.warnings) ctx_.reporter().warning(warning);
  return named.reconstruct(std::move(scan), ctx_);
}

void StreamSession::keep_lambda(const ReconstructionReport& report) {
  NamedOptions named;
  for (const auto& [name, value] : recipe_.options)
    if (name == "regularizer") named.set(name, value);
  const auto& terms = named.options().solve.regularizers;
  const bool found = std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term.automatic; });
  if (!found || report.solution.regularizers.size() != terms.size()) return;
  std::erase_if(recipe_.options, [](const auto& option) { return option.first == "regularizer"; });
  for (const RegularizerSpec& term : report.solution.regularizers)
    recipe_.options.emplace_back("regularizer", to_string(std::vector{term}));
  log_.event("lambda", {{"regularizer", to_string(report.solution.regularizers)}});
}

void StreamSession::send(const Reconstruction& result, const std::vector<mrd::Acquisition>& readouts) {
  if (recipe_.pixels == mrd::PixelType::int16 && scale_ == 0) {
    double largest = 0;
    for (const Image& image : result.series.images)
      for (const std::complex<float>& pixel : image.pixels)
        largest = std::max<double>(largest, std::abs(pixel));
    scale_ = largest > 0 ? mrd::largest_int16_pixel / largest : 1;
  }
  for (const Image& image : result.series.images) {
    const auto next = static_cast<std::uint16_t>(series_.size() + 1);
    auto& [series, index] = series_.try_emplace(geometry_of(image), next, std::uint16_t{0}).first->second;
    writer_.image(image, {.series = series,
                          .index = ++index,
                          .kind = recipe_.kind,
                          .pixels = recipe_.pixels,
                          .scale = scale_,
                          .scan_header = header_,
                          .readout = readout_of(image, readouts)});
    ++images_;
  }
}

// Different identifiers have different files, in which characters are encoded as in URLs. Empty: there is no
// folder, or the name would be too long.
std::string StreamSession::noise_file(const std::string& id) const {
  constexpr std::size_t longest_name = 200;
  if (options_.record.empty() || id.empty()) return "";
  std::string name;
  for (const char c : id) {
    const auto code = static_cast<unsigned char>(c);
    name += std::isalnum(code) != 0 || c == '-' || c == '.' || c == '_' ? std::string(1, c)
                                                                        : fmt::format("%{:02X}", code);
  }
  return name.size() > longest_name ? "" : options_.record + "/noise-" + name + ".h5";
}

// Only noise arrived: a measurement that other scans refer to.
void StreamSession::store_noise() {
  const std::string file = noise_file(mrd::measurement_ids_of(header_).own);
  if (file.empty()) {
    writer_.warning(
        "only noise readouts arrived, and they are not saved: this needs a measurementID in the header and a "
        "server with --record");
    return;
  }
  std::vector<const mrd::Acquisition*> all;
  for (const mrd::Acquisition& readout : fixed_) all.push_back(&readout);
  try {
    write_ismrmrd_raw(file, mrd::scan_of(header_, all, "the stream", {.memory_limit = ctx_.memory_limit()}),
                      true);
    log_.event("noise_kept", {{"file", file}});
  } catch (const Error& error) {
    fail(message_of(error));
  }
}

}  // namespace larmor::app
