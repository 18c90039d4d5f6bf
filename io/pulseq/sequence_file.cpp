#include <larmor/core/format_error.hpp>
#include <larmor/core/parsed_number.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/pulseq/sequence_file.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>

namespace larmor::pulseq {
namespace {

// Limits far above those of any real sequence, and below a machine's memory.
constexpr std::int64_t most_shape_samples = 1 << 22, most_values = 1 << 25;
constexpr std::size_t most_blocks = 1 << 23;
constexpr double longest = 1e5;             // seconds
constexpr std::int64_t most_label = 65535;  // ISMRMRD's counters have 16 bits

// Names in the order of Label.
constexpr std::string_view label_names[label_count] = {"LIN", "PAR", "SLC", "SEG", "REP",   "AVG", "SET",
                                                       "ECO", "PHS", "REV", "NAV", "NOISE", "REF", "IMA"};

/// Effect of a chain of extensions on a label: set to `by`, or incremented by it.
struct LabelChange {
  bool set = false;
  std::int64_t by = 0;
};
using LabelChanges = std::array<LabelChange, label_count>;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Sequence parse() {
    while (next_line()) {
      if (line_.front() == '[') {
        end_shape();
        section_ = line_;
        of_extension_ = false;
        if (section_ != "[VERSION]") require_version();
        continue;
      }
      if (section_ == "[VERSION]")
        version();
      else if (section_ == "[DEFINITIONS]")
        definition();
      else if (section_ == "[BLOCKS]")
        block();
      else if (section_ == "[RF]")
        rf();
      else if (section_ == "[GRADIENTS]")
        gradient();
      else if (section_ == "[TRAP]")
        trapezoid();
      else if (section_ == "[ADC]")
        adc();
      else if (section_ == "[DELAYS]")
        delays_[number(0)] = 1e-6 * value(1);
      else if (section_ == "[EXTENSIONS]")
        extension();
      else if (section_ == "[SHAPES]")
        shape();
      else if (section_.empty())
        fail("expected a section such as [VERSION]; this is not a Pulseq sequence");
    }
    end_shape();
    require_version();
    settle();
    return std::move(sequence_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw input_error("{}, line {}: {}", name_, line_number_,
                      fmt::format(format, std::forward<Args>(args)...));
  }

  // The next line with content, and its words.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = trimmed(rest_.substr(0, end));
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      ++line_number_;
      if (line_.empty() || line_.front() == '#') continue;
      words_.clear();
      for (std::string_view left = line_; !left.empty();) {
        const std::size_t length = std::min(left.find_first_of(" \t"), left.size());
        if (length > 0) words_.push_back(left.substr(0, length));
        left.remove_prefix(std::min(length + 1, left.size()));
      }
      return true;
    }
    return false;
  }

  template <typename T>
  T parsed(std::size_t word) const {
    if (word >= words_.size()) fail("{} has {} numbers; expected more", section_text(), words_.size());
    const auto result = parsed_number<T>(words_[word]);
    if (!result) fail("'{}' is not a number", printable(words_[word]));
    return *result;
  }
  std::int64_t number(std::size_t word) const { return parsed<std::int64_t>(word); }
  double value(std::size_t word) const {
    const double result = parsed<double>(word);
    if (!std::isfinite(result)) fail("'{}' is not finite", printable(words_[word]));
    return result;
  }
  // A time given in units of `unit` seconds, in seconds.
  double time(std::size_t word, double unit) const {
    const double result = value(word) * unit;
    if (!(result >= 0 && result <= longest))
      fail("'{}' is not a valid time in a sequence", printable(words_[word]));
    return result;
  }
  std::string section_text() const { return printable(section_); }

  bool before(int minor) const { return minor_ < minor; }

  void version() {
    if (words_[0] == "major" && number(1) != 1) fail("Pulseq version {}; expected 1", number(1));
    if (words_[0] != "minor") return;
    const std::int64_t minor = number(1);
    if (minor < 2 || minor > 5) fail("Pulseq version 1.{}; expected 1.2 to 1.5", minor);
    if (minor_ >= 0 && minor_ != minor) fail("version 1.{} in a file of version 1.{}", minor, minor_);
    minor_ = static_cast<int>(minor);
  }
  void require_version() const {
    if (minor_ < 0)
      throw input_error("{}: it does not start with [VERSION]; this is not a Pulseq sequence", name_);
  }

  void definition() {
    const auto raster = [&](const char* name, double& target) {
      if (words_[0] != name) return;
      target = value(1);
      if (!(target > 1e-9 && target < 1)) fail("{} is {}; expected a time such as 1e-5", name, value(1));
    };
    raster("GradientRasterTime", sequence_.gradient_raster);
    raster("RadiofrequencyRasterTime", rf_raster_);
    raster("BlockDurationRaster", block_raster_);
    const auto in_seconds = [&](const char* name, double& target) {
      if (words_[0] == name && words_.size() > 1) target = time(1, 1);
    };
    in_seconds("TE", sequence_.echo_time);
    in_seconds("TR", sequence_.repetition_time);
    if (words_[0] != "FOV") return;
    const std::size_t axes = std::min<std::size_t>(words_.size() - 1, 3);
    double most = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) most = std::max(most, value(axis + 1));
    constexpr double no_scanner = 2;  // metres: early sequences give mm, as do thin slices
    const double unit = most > no_scanner ? 1e-3 : 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double length = value(axis + 1);
      sequence_.fov[axis] = unit * length;
      if (!(length >= 0 && sequence_.fov[axis] <= no_scanner))
        fail("FOV is {}; expected a length such as 0.25", length);
    }
  }

  void block() {
    if (sequence_.blocks.size() >= most_blocks) fail("more than {} blocks", most_blocks);
    Block block;
    // Up to version 1.3 the second number is a delay event, later the duration.
    const std::int64_t second = number(1);
    if (before(4))
      block_delays_.push_back(second);
    else
      block.duration = time(1, block_raster_);
    block.rf = number(2);
    for (std::size_t axis = 0; axis < 3; ++axis) block.gradients[axis] = number(3 + axis);
    block.adc = number(6);
    if (words_.size() > 7)
      block_extensions_.push_back(number(7));
    else
      block_extensions_.push_back(0);
    sequence_.blocks.push_back(block);
  }

  void rf() {
    // id amplitude magnitude phase [time] [center] delay …, times in µs; version 1.5 ends with the use.
    RfPulse pulse;
    pulse.amplitude = value(1);
    pulse.magnitude = number(2);
    pulse.time_shape = before(4) ? 0 : number(4);
    std::size_t next = before(4) ? 4 : 5;
    if (!before(5)) pulse.center = time(next++, 1e-6);
    pulse.delay = time(next, 1e-6);
    if (!before(5) && words_.back().size() == 1) pulse.use = words_.back()[0];
    pulses_[number(0)] = pulse;
  }

  void gradient() {
    // id amplitude [first last] shape [time] delay
    GradientEvent event;
    event.amplitude = value(1);
    std::size_t next = 2;
    if (!before(5)) {
      event.has_edges = true;
      event.first = value(next++);
      event.last = value(next++);
    }
    event.shape = number(next++);
    if (!before(4)) event.time_shape = number(next++);
    event.delay = time(next, 1e-6);
    sequence_.gradients[number(0)] = event;
  }

  void trapezoid() {
    GradientEvent event;
    event.trapezoid = true;
    event.amplitude = value(1);
    event.rise = time(2, 1e-6);
    event.flat = time(3, 1e-6);
    event.fall = time(4, 1e-6);
    if (words_.size() > 5) event.delay = time(5, 1e-6);
    sequence_.gradients[number(0)] = event;
  }

  void adc() {
    AdcEvent event;
    event.samples = number(1);
    if (event.samples < 1 || event.samples > most_shape_samples)
      fail("an acquisition of {} samples; expected 1 to {}", event.samples, most_shape_samples);
    event.dwell = time(2, 1e-9);
    event.delay = time(3, 1e-6);
    sequence_.adc[number(0)] = event;
  }

  // Lists of extensions: "id type reference next"; types: "extension NAME id", followed by their own entries.
  void extension() {
    if (words_[0] == "extension") {
      of_rotations_ = words_.size() > 2 && words_[1] == "ROTATIONS";
      of_labels_ = words_.size() > 2 && (words_[1] == "LABELSET" || words_[1] == "LABELINC");
      if (of_labels_) label_types_[number(2)] = increments_ = words_[1] == "LABELINC";
      if (of_rotations_) rotation_types_.insert(number(2));
      of_extension_ = true;
    } else if (!of_extension_) {
      extensions_[number(0)] = {number(1), number(2), number(3)};
    } else if (of_rotations_) {
      sequence_.rotations[number(0)] = rotation_of_quaternion();
    } else if (of_labels_) {
      if (words_.size() < 3) fail("a label without a name");
      const auto* const name = std::find(std::begin(label_names), std::end(label_names), words_[2]);
      if (std::abs(number(1)) > most_label)
        fail("a label changes by {}; expected at most {}", number(1), most_label);
      label_changes_[{increments_, number(0)}] = {static_cast<std::size_t>(name - std::begin(label_names)),
                                                  number(1)};
    }
  }

  Rotation rotation_of_quaternion() const {
    std::array<double, 4> q{};
    double norm = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      q[i] = value(i + 1);
      norm += q[i] * q[i];
    }
    if (!(norm > 0.5 && norm < 2))
      fail("a rotation by a quaternion of norm {:.3g}; expected 1", std::sqrt(norm));
    const auto& [w, x, y, z] = q;
    const double two = 2 / norm;
    return {{{1 - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)},
             {two * (x * y + w * z), 1 - two * (x * x + z * z), two * (y * z - w * x)},
             {two * (x * z - w * y), two * (y * z + w * x), 1 - two * (x * x + y * y)}}};
  }

  void shape() {
    if (words_[0] == "shape_id" || words_[0] == "Shape_ID") {
      end_shape();
      shape_id_ = number(1);
      shape_samples_ = -1;
    } else if (words_[0] == "num_samples" || words_[0] == "Num_Uncompressed") {
      if (!shape_id_) fail("a shape has no shape_id");
      shape_samples_ = number(1);
      const bool sound = shape_samples_ >= 0 && shape_samples_ <= most_shape_samples;
      if (sound) values_total_ += shape_samples_;
      if (!sound || values_total_ > most_values)
        fail("shapes of {} samples and more; expected at most {} in a shape, {} in all", shape_samples_,
             most_shape_samples, most_values);
    } else {
      if (!shape_id_ || shape_samples_ < 0) fail("values of a shape before shape_id and num_samples");
      if (static_cast<std::int64_t>(stored_.size()) > shape_samples_) fail("more values than num_samples");
      stored_.push_back(value(0));
    }
  }

  // Stored values are the shape itself, or run lengths of its differences: two equal values, followed by the
  // number of further repetitions.
  void end_shape() {
    if (!shape_id_) return;
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(shape_samples_, 0));
    std::vector<double> shape;
    const bool whole = stored_.size() == wanted && !before(4);
    if (whole) {
      shape = std::move(stored_);
    } else {
      shape.reserve(wanted);
      for (std::size_t i = 0; i < stored_.size(); ++i) {
        shape.push_back(stored_[i]);
        const bool run = i + 2 < stored_.size() && stored_[i] == stored_[i + 1];
        if (!run) continue;
        const double times = stored_[i + 2];
        if (!(times >= 0 && times == std::floor(times)) ||
            times + static_cast<double>(shape.size()) + 1 > static_cast<double>(wanted))
          fail("shape {} is damaged: a run of {} in {} samples", *shape_id_, times, wanted);
        shape.insert(shape.end(), static_cast<std::size_t>(times) + 1, stored_[i]);
        i += 2;
      }
      if (shape.size() != wanted)
        fail("shape {} has {} samples; expected {}", *shape_id_, shape.size(), wanted);
      std::partial_sum(shape.begin(), shape.end(), shape.begin());
    }
    sequence_.shapes[*shape_id_] = std::move(shape);
    shape_id_.reset();
    stored_.clear();
  }

  const std::vector<double>& shape_of(std::int64_t id) const {
    const auto found = sequence_.shapes.find(id);
    if (found == sequence_.shapes.end()) throw input_error("{}: there is no shape {}", name_, id);
    return found->second;
  }

  // Definitions that other sections require.
  void settle() {
    for (const auto& [id, pulse] : pulses_) sequence_.rf[id] = event_of(pulse);
    for (auto& [id, event] : sequence_.gradients) {
      if (event.trapezoid) continue;
      const std::vector<double>& shape = shape_of(event.shape);
      if (event.time_shape > 0 && shape_of(event.time_shape).size() != shape.size())
        throw input_error("{}: gradient {} has {} values at {} times", name_, id, shape.size(),
                          shape_of(event.time_shape).size());
    }
    for (std::size_t i = 0; i < sequence_.blocks.size(); ++i) {
      Block& block = sequence_.blocks[i];
      const auto require = [&](const auto& events, std::int64_t id, const char* what) {
        if (id != 0 && !events.contains(id))
          throw input_error("{}: block {} refers to {} {}, which does not exist", name_, i + 1, what, id);
      };
      require(sequence_.rf, block.rf, "pulse");
      require(sequence_.adc, block.adc, "acquisition");
      for (const std::int64_t gradient : block.gradients) require(sequence_.gradients, gradient, "gradient");
      block.rotation = rotation_of_chain(block_extensions_[i]);
      require(sequence_.rotations, block.rotation, "rotation");
      if (before(4)) block.duration = duration_of(block, block_delays_[i]);
    }
    settle_labels();
  }

  // Counters after the preceding blocks: labels are set and incremented in the order of the file.
  void settle_labels() {
    if (label_changes_.empty()) return;
    std::array<std::int64_t, label_count> now{};
    for (std::size_t i = 0; i < sequence_.blocks.size(); ++i) {
      const LabelChanges changes = changes_of_chain(block_extensions_[i], i);
      for (std::size_t label = 0; label < label_count; ++label)
        now[label] = (changes[label].set ? 0 : now[label]) + changes[label].by;
      if (sequence_.blocks[i].adc == 0) continue;
      Labels& labels = sequence_.labels.emplace_back();
      for (std::size_t label = 0; label < label_count; ++label) {
        if (now[label] < 0 || now[label] > most_label)
          throw input_error("{}: label {} is {} in block {}; expected 0 to {}", name_, label_names[label],
                            now[label], i + 1, most_label);
        labels[label] = static_cast<std::uint16_t>(now[label]);
      }
    }
  }

  // Blocks share the tails of their chains, each of which is followed once.
  LabelChanges changes_of_chain(std::int64_t first, std::size_t block) {
    std::vector<std::int64_t> followed;
    LabelChanges changes{};
    for (std::int64_t id = first; id != 0;) {
      const auto known = changes_of_extension_.find(id);
      const auto found = extensions_.find(id);
      if (known != changes_of_extension_.end() || found == extensions_.end()) {
        if (known != changes_of_extension_.end()) changes = known->second;
        break;
      }
      changes_of_extension_[id] = {};  // for chains that form a loop
      followed.push_back(id);
      id = found->second[2];
    }
    for (auto id = followed.rbegin(); id != followed.rend(); ++id) {
      const auto& [type, reference, next] = extensions_.at(*id);
      if (const auto label_type = label_types_.find(type); label_type != label_types_.end()) {
        const auto change = label_changes_.find({label_type->second, reference});
        if (change == label_changes_.end())
          throw input_error("{}: block {} refers to label {}, which does not exist", name_, block + 1,
                            reference);
        const auto& [label, by] = change->second;
        if (label < label_count && !changes[label].set)
          changes[label] = {!label_type->second, changes[label].by + by};
      }
      changes_of_extension_[*id] = changes;
    }
    return changes;
  }

  struct RfPulse {
    double amplitude = 0, delay = 0, center = -1;
    std::int64_t magnitude = 0, time_shape = 0;
    char use = 0;
  };

  // The form of a pulse, shared by pulses of different amplitudes.
  struct PulseForm {
    double turns = 0;   // at an amplitude of 1 Hz
    double middle = 0;  // of its maximum
    double end = 0;
  };

  PulseForm form_of(std::int64_t magnitude, std::int64_t time_shape) const {
    const std::vector<double>& shape = shape_of(magnitude);
    std::vector<double> times(shape.size());
    if (time_shape > 0) {
      const std::vector<double>& given = shape_of(time_shape);
      if (given.size() != shape.size())
        throw input_error("{}: a pulse has {} values at {} times", name_, shape.size(), given.size());
      std::transform(given.begin(), given.end(), times.begin(), [&](double t) { return t * rf_raster_; });
    } else {
      for (std::size_t i = 0; i < times.size(); ++i) times[i] = (static_cast<double>(i) + 0.5) * rf_raster_;
    }
    // Values at given times are joined by straight lines; other values each last for one step of the raster.
    PulseForm form;
    double largest = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      largest = std::max(largest, std::abs(shape[i]));
      if (time_shape <= 0)
        form.turns += shape[i] * rf_raster_;
      else if (i > 0)
        form.turns += 0.5 * (shape[i] + shape[i - 1]) * (times[i] - times[i - 1]);
    }
    double first = -1, last = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (std::abs(shape[i]) >= 0.99999 * largest) {
        if (first < 0) first = times[i];
        last = times[i];
      }
    form.middle = first < 0 ? 0 : 0.5 * (first + last);
    form.end = times.empty() ? 0 : times.back() + (time_shape > 0 ? 0 : 0.5 * rf_raster_);
    return form;
  }

  // A pulse of more than 90 degrees is a refocusing pulse unless the file gives its use.
  RfEvent event_of(const RfPulse& pulse) {
    const std::pair shapes(pulse.magnitude, std::max<std::int64_t>(pulse.time_shape, 0));
    auto found = forms_.find(shapes);
    if (found == forms_.end()) found = forms_.emplace(shapes, form_of(shapes.first, shapes.second)).first;
    const PulseForm& form = found->second;
    RfEvent event;
    event.delay = pulse.delay;
    event.center = pulse.center >= 0 ? pulse.center : form.middle;
    event.end = pulse.delay + form.end;
    constexpr double just_above_a_quarter = 0.25 + 1e-4;
    event.refocusing =
        pulse.use == 'r' || (pulse.use == 0 && std::abs(pulse.amplitude * form.turns) > just_above_a_quarter);
    event.ignored = pulse.use != 0 && pulse.use != 'e' && pulse.use != 'r' && pulse.use != 'u';
    return event;
  }

  // 0: none. Blocks share the tails of their chains, each of which is followed once.
  std::int64_t rotation_of_chain(std::int64_t first) {
    std::vector<std::int64_t> followed;
    std::int64_t rotation = 0;
    for (std::int64_t id = first; id != 0;) {
      const auto known = rotation_of_extension_.find(id);
      const auto found = extensions_.find(id);
      if (known != rotation_of_extension_.end() || found == extensions_.end()) {
        if (known != rotation_of_extension_.end()) rotation = known->second;
        break;
      }
      rotation_of_extension_[id] = 0;  // if a chain forms a loop
      followed.push_back(id);
      const auto& [type, reference, next] = found->second;
      if (rotation_types_.contains(type)) {
        rotation = reference;
        break;
      }
      id = next;
    }
    for (const std::int64_t id : followed) rotation_of_extension_[id] = rotation;
    return rotation;
  }

  double duration_of(const Block& block, std::int64_t delay) const {
    double longest_event = 0;
    if (const auto found = delays_.find(delay); found != delays_.end()) longest_event = found->second;
    if (block.rf != 0) longest_event = std::max(longest_event, sequence_.rf.at(block.rf).end);
    for (const std::int64_t id : block.gradients) {
      if (id == 0) continue;
      const GradientEvent& event = sequence_.gradients.at(id);
      const double length =
          event.trapezoid ? event.rise + event.flat + event.fall
                          : static_cast<double>(shape_of(event.shape).size()) * sequence_.gradient_raster;
      longest_event = std::max(longest_event, event.delay + length);
    }
    if (block.adc != 0) {
      const AdcEvent& event = sequence_.adc.at(block.adc);
      longest_event = std::max(longest_event, event.delay + static_cast<double>(event.samples) * event.dwell);
    }
    return longest_event;
  }

  std::string_view rest_, line_, section_;
  const std::string& name_;
  std::vector<std::string_view> words_;
  std::size_t line_number_ = 0;
  int minor_ = -1;
  double rf_raster_ = 1e-6, block_raster_ = 10e-6;
  Sequence sequence_;
  std::vector<std::int64_t> block_delays_, block_extensions_;
  std::map<std::int64_t, double> delays_;
  std::map<std::int64_t, RfPulse> pulses_;
  std::map<std::pair<std::int64_t, std::int64_t>, PulseForm> forms_;  // key: magnitude and times
  std::map<std::int64_t, std::array<std::int64_t, 3>> extensions_;    // type, reference, next
  std::set<std::int64_t> rotation_types_;
  std::map<std::int64_t, std::int64_t> rotation_of_extension_;
  std::map<std::int64_t, LabelChanges> changes_of_extension_;
  std::map<std::int64_t, bool> label_types_;  // true: incremented
  std::map<std::pair<bool, std::int64_t>, std::pair<std::size_t, std::int64_t>> label_changes_;
  bool of_extension_ = false, of_rotations_ = false, of_labels_ = false, increments_ = false;
  std::optional<std::int64_t> shape_id_;
  std::int64_t shape_samples_ = -1, values_total_ = 0;
  std::vector<double> stored_;
};

}  // namespace

Sequence parse_sequence(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

}  // namespace larmor::pulseq
