#include <larmor/apps/output/page.hpp>
#include <larmor/io/images/png.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace larmor::app {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #586069; --line: #d5d9de; --card: #f5f6f8;
  --mark: #1f5fbf; --warn: #8a4b00; --warn-ground: #fff4e0; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --text: #e6e8ea; --quiet: #9aa3ac; --line: #343a40;
  --card: #1d2125; --mark: #7fb0ff; --warn: #ffc46b; --warn-ground: #33270f; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); max-width: 82rem;
  margin: 0 auto; padding: 1rem 1.25rem 3rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; display: inline; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
.subtitle { color: var(--quiet); margin: -.4rem 0 1rem; }
.first { display: flex; gap: 1.5rem; align-items: start; }
.first figure { flex: 0 1 max(20rem, calc((100vh - 13rem) * var(--ratio))); min-width: 0; }
.card { flex: 1 0 23rem; max-width: 30rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.warnings { color: var(--warn); background: var(--warn-ground); border-radius: .35rem; margin: 0;
  padding: .5rem .75rem .5rem 1.75rem; }
.above { margin-top: .75rem; }
figure { margin: 0; }
.stage { position: relative; max-width: max(15rem, calc((100vh - 13rem) * var(--ratio))); aspect-ratio: var(--ratio); background: #000; color: #fff; border-radius: .35rem; overflow: hidden; }
.pixels { position: absolute; inset: 0; overflow: hidden; filter: url(#window); }
.pixels img { position: absolute; width: calc(var(--columns) * 100%); height: calc(var(--rows) * 100%);
  left: calc(var(--column) * -100%); top: calc(var(--row) * -100%); user-select: none; }
.stage.all { --ratio: var(--ratio-of-all); }
.stage.all img { width: 100%; height: 100%; left: 0; top: 0; }
.stage.all .overlay { display: none; }
.stage.unsmoothed img { image-rendering: pixelated; }
.overlay { position: absolute; font-size: .85rem; line-height: 1; text-shadow: 0 0 3px #000, 0 0 3px #000; }
.left { left: .5rem; top: 50%; } .right { right: .5rem; top: 50%; }
.top { top: .5rem; left: 50%; } .bottom { bottom: .5rem; left: 50%; }
.scale { left: 1rem; bottom: .75rem; padding-bottom: .3rem; border-bottom: 3px solid #fff; }
.controls { display: grid; grid-template-columns: max-content minmax(0, 1fr) minmax(4.5rem, max-content);
  gap: .15rem .75rem; align-items: center; max-width: 44rem; margin: .75rem 0 0; }
.controls[hidden], [hidden] { display: none; }
.controls input { width: 100%; accent-color: var(--mark); }
.controls output { font-variant-numeric: tabular-nums; }
.hint { grid-column: 1 / -1; color: var(--quiet); font-size: .85rem; margin: .25rem 0 0; }
kbd { font: inherit; border: 1px solid var(--line); border-radius: .2rem; padding: 0 .3em; }
details { border-top: 1px solid var(--line); }
details:first-of-type { margin-top: 1.5rem; }
summary { padding: .6rem 0; cursor: pointer; }
details > :not(summary) { margin-bottom: 1rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.5rem; }
.charts figure { max-width: 40rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
.grid { stroke: var(--line); }
.curve { fill: none; stroke: var(--mark); stroke-width: 2; }
.thin { fill: none; stroke: var(--mark); stroke-width: .5; }
.times { display: grid; grid-template-columns: max-content minmax(0, 1fr) max-content; gap: .25rem .75rem;
  max-width: 40rem; align-items: center; font-variant-numeric: tabular-nums; }
.times i { display: block; height: .8rem; min-width: 2px; background: var(--mark); print-color-adjust: exact; }
.maps { max-width: min(100%, 48rem); min-width: min(100%, 30rem); background: #000; }
pre { overflow: auto; background: var(--card); border-radius: .35rem; padding: .75rem; font-size: .85rem; }
pre.words { white-space: pre-wrap; }
@media (hover: none) { .hint { display: none; } }
@media (max-width: 60rem) { .first { display: block; } .card { max-width: none; margin-top: 1rem; }
  .stage { max-width: max(15rem, calc(85vh * var(--ratio))); margin: 0 auto; } }
@media print { :root { --ground: #fff; --text: #000; --quiet: #333; --card: #fff; --line: #bbb; --mark: #000; }
  body { max-width: none; padding: 0; font-size: 11pt; } .controls, details:not([open]) { display: none; }
  .first { display: flex; } .first figure { flex: 1 1 0; } .card { flex: 0 0 7.5cm; margin: 0; }
  .stage { max-width: none; print-color-adjust: exact; }
  .first, figure { break-inside: avoid; } details { break-before: auto; } }
)";

/// The viewer's window is a filter: scripts change two numbers instead of pixels.
constexpr const char* script = R"(
(() => {
  const stage = document.querySelector('.stage');
  if (!stage) return;
  const { labels, columns, per, file, shown } = JSON.parse(stage.dataset.images);
  const slopes = document.querySelectorAll('#window feFuncR, #window feFuncG, #window feFuncB');
  const part = name => document.getElementById(name);
  let [low, high] = shown, image = labels.length >> 1;
  const digits = value => Number(value.toPrecision(3)).toString();
  const window_ = () => {
    if (high <= low) high = low + (file[1] - file[0]) / 1000;
    for (const slope of slopes) {
      slope.setAttribute('slope', (file[1] - file[0]) / (high - low));
      slope.setAttribute('intercept', (file[0] - low) / (high - low));
    }
    part('low').value = low; part('high').value = high;
    part('low-text').value = digits(low); part('high-text').value = digits(high);
  };
  const show = index => {
    image = Math.min(labels.length - 1, Math.max(0, index));
    stage.style.setProperty('--column', image % columns);
    stage.style.setProperty('--row', Math.floor(image / columns));
    if (labels.length < 2) return;
    part('image').value = image;
    part('image-text').value = labels[image];
  };
  const all = on => { if (labels.length > 1) stage.classList.toggle('all', on); };
  const step = by => { all(false); show(image + by); };
  const brighter = by => { high = low + (high - low) / by; window_(); };
  const reset = () => { [low, high] = shown; window_(); };
  const keys = {
    ArrowLeft: e => step(e.shiftKey ? -per : -1), ArrowRight: e => step(e.shiftKey ? per : 1),
    '+': () => brighter(1.1), '-': () => brighter(1 / 1.1), r: reset,
    a: () => all(), p: () => stage.classList.toggle('unsmoothed') };
  addEventListener('keydown', e => {
    if (e.target.matches('input') && e.key.startsWith('Arrow') || e.ctrlKey || e.metaKey || e.altKey) return;
    if (keys[e.key]) { keys[e.key](e); e.preventDefault(); }
  });
  stage.addEventListener('wheel', e => {
    if (labels.length < 2 || e.ctrlKey) return;
    e.preventDefault();
    step(Math.sign(e.deltaY));
  }, { passive: false });
  stage.addEventListener('pointermove', e => {
    if (e.pointerType !== 'mouse' || !(e.buttons & 1)) return;
    const range = (shown[1] - shown[0]) / 400, width = Math.max(range, high - low + e.movementX * range);
    const middle = (low + high) / 2 + e.movementY * range;
    low = middle - width / 2; high = middle + width / 2;
    window_();
  });
  stage.addEventListener('dragstart', e => e.preventDefault());
  stage.addEventListener('dblclick', reset);
  part('low').addEventListener('input', e => { low = Number(e.target.value); window_(); });
  part('high').addEventListener('input', e => { high = Number(e.target.value); window_(); });
  if (labels.length > 1) part('image').addEventListener('input', e => { all(false); show(Number(e.target.value)); });
  document.querySelector('.controls').hidden = false;
  all(false); show(image); window_();
})();
)";

/// RFC 4648.
std::string base64(const std::vector<std::uint8_t>& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : digits[three >> (18 - 6 * j) & 63];
  }
  return text;
}

std::string data_of(const std::vector<std::uint8_t>& png) {
  return "data:image/png;base64," + base64(png);
}

/// The side of the patient that a direction in LPS points to, by its largest component.
char side_of(const Vec3& direction, double sign) {
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::max_element(direction.begin(), direction.end(), larger);
  static constexpr std::array<const char*, 3> sides{"RL", "AP", "IS"};
  return sides[static_cast<std::size_t>(largest - direction.begin())][sign * *largest > 0 ? 1 : 0];
}

/// Letters at the edges, and a scale bar of a round number of millimetres, about a quarter of the field of
/// view. Nothing if the file does not give the position of the image.
std::string overlays(const ImageGeometry& geometry) {
  if (!geometry.orientation_known) return {};
  std::string text;
  for (const auto& [place, direction, sign] : {std::tuple{"left", &geometry.read_dir, -1.0},
                                               {"right", &geometry.read_dir, 1.0},
                                               {"top", &geometry.phase_dir, -1.0},
                                               {"bottom", &geometry.phase_dir, 1.0}})
    text += fmt::format("<span class=\"overlay {}\">{}</span>\n", place, side_of(*direction, sign));
  const double quarter = geometry.fov_mm[0] / 4, decade = std::pow(10, std::floor(std::log10(quarter)));
  const double bar = decade * (quarter >= 5 * decade ? 5 : quarter >= 2 * decade ? 2 : 1);
  return text + fmt::format("<span class=\"overlay scale\" style=\"width: {:.4g}%\">{:g} mm</span>\n",
                            100 * bar / geometry.fov_mm[0], bar);
}

/// The counter that distinguishes the images of a series, or "image" if there are none or several.
std::string counter_of(const std::vector<Image>& images) {
  const auto varies = [&](std::uint16_t ImageCounters::*counter) {
    return std::any_of(images.begin(), images.end(), [&](const Image& image) {
      return image.counters.*counter != images.front().counters.*counter;
    });
  };
  std::string name = "image";
  int varying = 0;
  for (const auto& [counter, counted] : {std::pair{&ImageCounters::slice, "slice"},
                                         {&ImageCounters::contrast, "contrast"},
                                         {&ImageCounters::phase, "phase"},
                                         {&ImageCounters::repetition, "repetition"},
                                         {&ImageCounters::set, "set"}})
    if (varies(counter)) {
      name = counted;
      ++varying;
    }
  return varying == 1 ? name : "image";
}

/// "repetition 3 of 8, slice 2 of 16": names of all tiles, in order.
std::vector<std::string> labels_of(const ImageSeries& series) {
  const Shape& shape = series.images.front().pixels.shape();
  const Index coils = shape.rank() > 3 ? shape[0] : 1, slices = shape[shape.rank() - 3];
  const auto count = static_cast<Index>(series.images.size());
  const std::string counter = counter_of(series.images);
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i)
    for (Index coil = 0; coil < coils; ++coil)
      for (Index z = 0; z < slices; ++z) {
        std::string label;
        for (const auto& [name, index, of] :
             {std::tuple{counter.c_str(), i, count}, {"coil", coil, coils}, {"slice", z, slices}})
          if (of > 1) label += fmt::format("{}{} {} of {}", label.empty() ? "" : ", ", name, index + 1, of);
        labels.push_back(label);
      }
  return labels;
}

}  // namespace

std::string as_html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string html_page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         as_html(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n" + body + "<script>" +
         script + "</script>\n</body>\n</html>\n";
}

std::string image_viewer(const ImageSeries& series) {
  // Twice the window shown at first, so that brighter parts can be inspected; half of 256 levels are enough
  // beside the noise.
  const std::pair<double, double> shown = default_window(series);
  const std::pair<double, double> file =
      series.kind == ImageKind::phase ? shown : std::pair{2 * shown.first, 2 * shown.second};
  const std::string data = data_of(png_of(series, {.window = file}));
  const std::vector<std::string> labels = labels_of(series);
  const Image& first = series.images.front();
  const auto count = static_cast<Index>(labels.size()), columns = montage_columns(count);
  const Index rows = (count + columns - 1) / columns, per = count / static_cast<Index>(series.images.size());
  const double ratio = first.geometry.fov_mm[0] / first.geometry.fov_mm[1];
  const double ratio_of_all = ratio * static_cast<double>(columns) / static_cast<double>(rows);
  const nlohmann::json images{{"labels", labels},
                              {"columns", columns},
                              {"per", per},
                              {"file", {file.first, file.second}},
                              {"shown", {shown.first, shown.second}}};
  const double slope = (file.second - file.first) / (shown.second - shown.first);
  const double intercept = (file.first - shown.first) / (shown.second - shown.first);
  std::string text =
      fmt::format("<figure style=\"--ratio: {:.5g}; --ratio-of-all: {:.5g}\">\n", ratio, ratio_of_all);
  text +=
      "<svg width=\"0\" height=\"0\" style=\"position: absolute\" aria-hidden=\"true\"><filter "
      "id=\"window\" color-interpolation-filters=\"sRGB\"><feComponentTransfer>";
  for (const char channel : {'R', 'G', 'B'})
    text += fmt::format("<feFunc{} type=\"linear\" slope=\"{:g}\" intercept=\"{:g}\"/>", channel, slope,
                        intercept);
  text += fmt::format(
      "</feComponentTransfer></filter></svg>\n<div class=\"stage{}\" style=\"--columns: {}; --rows: {}; "
      "--column: 0; --row: 0\" data-images=\"{}\">\n<div class=\"pixels\"><img alt=\"{} reconstructed "
      "image{}\" "
      "src=\"{}\"></div>\n{}</div>\n",
      count > 1 ? " all" : "", columns, rows, as_html(images.dump()), count, count > 1 ? "s" : "", data,
      overlays(first.geometry));
  text += "<div class=\"controls\" hidden>\n";
  const auto slider = [&](const char* id, const char* name, double least, double most, double by) {
    text += fmt::format(
        "<label for=\"{0}\">{1}</label><input type=\"range\" id=\"{0}\" min=\"{2:g}\" max=\"{3:g}\" "
        "step=\"{4:g}\"><output id=\"{0}-text\" for=\"{0}\"></output>\n",
        id, name, least, most, by);
  };
  if (count > 1) slider("image", "Image", 0, static_cast<double>(count - 1), 1);
  const double fine = (file.second - file.first) / 1000;
  slider("low", "Black", file.first, file.second, fine);
  slider("high", "White", file.first, file.second, fine);
  text +=
      "<p class=\"hint\">Drag over the image: contrast and brightness. <kbd>+</kbd> <kbd>−</kbd> brighter, "
      "darker; "
      "<kbd>R</kbd> reset; <kbd>P</kbd> pixels, not smoothed";
  if (count > 1) text += "; <kbd>←</kbd> <kbd>→</kbd> or wheel: other images";
  if (per > 1 && per < count) text += ", with <kbd>Shift</kbd>: of the next volume";
  if (count > 1) text += "; <kbd>A</kbd> all images";
  return text + "</p>\n</div>\n</figure>\n";
}

std::string image_tag(const std::string& text, const ImageSeries& series) {
  return fmt::format("<img class=\"maps\" alt=\"{}\" src=\"{}\">\n", as_html(text), data_of(png_of(series)));
}

}  // namespace larmor::app
