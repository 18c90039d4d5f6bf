#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/options/reconstruction/dictionary.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace larmor::app {
namespace {

using Sequence = SignalModel::Sequence;
using Keys = std::map<std::string, std::string>;

constexpr double longest_ms = 1e6;
constexpr Index most_frames = 100000;

struct ModelName {
  const char* name;
  Sequence sequence;
  const char* keys;  // the required keys come first
};
constexpr std::array<ModelName, 4> models{
    {{"spin-echo", Sequence::spin_echo, "TE=MS:echoes=N"},
     {"inversion", Sequence::inversion_recovery, "TI=MS,MS[,MS...][:TR=MS]"},
     {"mprage", Sequence::mprage, "TI=MS:TR=MS:flip=DEGREES:echoes=N[:cycle=MS][:per-frame=N]"},
     {"fisp", Sequence::fisp, "TI=MS:TR=MS:flips=FILE[:TE=MS][:per-frame=N]"}}};

Keys keys_of(const std::vector<std::string>& parts, const ModelName& model) {
  Keys keys;
  const std::string allowed = ":" + std::string(model.keys);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string key = parts[i].substr(0, equals);
    if (equals == std::string::npos || key.empty() || allowed.find(":" + key + "=") == std::string::npos)
      throw usage_error("{}: '{}', expected {}:{}", model.name, parts[i], model.name, model.keys);
    if (!keys.emplace(key, parts[i].substr(equals + 1)).second)
      throw usage_error("{}: {} is given twice", model.name, key);
  }
  return keys;
}

// Numbers for the keys that a model requires or accepts.
class Values {
  template <typename Read>
  auto named(const std::string& key, const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      throw usage_error("{}: {}={}: {}", model_.name, key, text(key), error.what());
    }
  }

 public:
  Values(const ModelName& model, Keys keys) : model_(model), keys_(std::move(keys)) {}
  bool has(const std::string& key) const { return keys_.contains(key); }
  const std::string& text(const std::string& key) const {
    if (!has(key))
      throw usage_error("{} needs {}: expected {}:{}", model_.name, key, model_.name, model_.keys);
    return keys_.at(key);
  }
  double number(const std::string& key, double least, double most = longest_ms) const {
    return named(key, [&] { return number_in(text(key), least, most); });
  }
  double number_or_zero(const std::string& key) const { return has(key) ? number(key, 0) : 0; }
  Index count(const std::string& key) const {
    return named(key, [&] { return count_in(text(key), 1, most_frames); });
  }
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> result;
    for (const std::string& part : split(text(key), ','))
      result.push_back(named(key, [&] { return number_in(part, 0, longest_ms); }));
    return result;
  }

 private:
  const ModelName& model_;
  Keys keys_;
};

}  // namespace

std::string signal_models_help() {
  std::string help;
  for (const ModelName& model : models)
    help += fmt::format("{}{}:{}", help.empty() ? "" : ", ", model.name, model.keys);
  return help;
}

std::optional<SignalModel> signal_model_of(const std::string& text) {
  const auto parts = split(text, ':');
  const auto* found = std::find_if(models.begin(), models.end(),
                                   [&](const ModelName& model) { return parts.front() == model.name; });
  if (found == models.end()) return std::nullopt;
  const Values values(*found, keys_of(parts, *found));
  SignalModel model;
  model.sequence = found->sequence;
  switch (model.sequence) {
    case Sequence::spin_echo:
      for (Index e = 1, echoes = values.count("echoes"); e <= echoes; ++e)
        model.times_ms.push_back(static_cast<double>(e) * values.number("TE", 0));
      break;
    case Sequence::inversion_recovery:
      model.times_ms = values.numbers("TI");
      model.cycle_ms = values.number_or_zero("TR");
      break;
    case Sequence::mprage:
      model.flips_deg.assign(static_cast<std::size_t>(values.count("echoes")),
                             values.number("flip", -180, 180));
      model.cycle_ms = values.number_or_zero("cycle");
      break;
    case Sequence::fisp: {
      const Array<double> flips = read_array<double>(values.text("flips"));
      model.flips_deg.assign(flips.begin(), flips.end());
      model.echo_ms = values.number_or_zero("TE");
      break;
    }
  }
  if (!model.flips_deg.empty()) {
    model.inversion_ms = values.number("TI", 0);
    model.times_ms.assign(model.flips_deg.size(), values.number("TR", 0));
    if (values.has("per-frame")) model.per_frame = values.count("per-frame");
  }
  return model;
}

std::string file_of_signals(const std::string& text) {
  const auto parts = split(text, ':');
  if (std::none_of(models.begin(), models.end(),
                   [&](const ModelName& model) { return parts.front() == model.name; }))
    return text;
  constexpr std::string_view key = "flips=";
  for (const std::string& part : parts)
    if (part.starts_with(key)) return part.substr(key.size());
  return "";
}

Array<std::complex<double>> read_curves(const std::string& text) {
  Context ctx(Device::cpu());
  if (const auto model = signal_model_of(text)) return dictionary_of(*model, ctx).curves;
  return converted<std::complex<double>>(read_array(text).view());
}

SignalDictionary read_dictionary(const std::string& text, const std::string& values_file,
                                 const std::string& names, Context& ctx) {
  if (const auto model = signal_model_of(text)) {
    if (!values_file.empty() || !names.empty())
      throw usage_error("--values and --names are for a dictionary from a file; {} has its own",
                        split(text, ':').front());
    return dictionary_of(*model, ctx);
  }
  if (values_file.empty() || names.empty())
    throw usage_error(
        "the dictionary {} has no parameters: give --values FILE, [entries, parameters], and their --names, "
        "such as T1,T2",
        text);
  return given_dictionary(converted<std::complex<double>>(read_array(text).view()),
                          read_array<double>(values_file), split(names, ','));
}

}  // namespace larmor::app
