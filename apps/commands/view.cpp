#include <larmor/apps/commands/view.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/apps/output/page.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/images/png.hpp>
#include <larmor/options/words/values.hpp>

#include <sys/ioctl.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace larmor::app {
namespace {

struct ViewOptions {
  std::string file, output;
  std::optional<std::pair<double, double>> window;
  std::optional<Index> image;
  Index columns = 0;
  bool overwrite = false, json = false;
};

/// Images with two axes, one after the other, and the meaning of a pixel's value.
struct Pictures {
  Index count = 1, y = 1, x = 1;
  bool real = true;  ///< otherwise the magnitude is shown
  std::vector<float> values;
};

Pictures pictures_of(const std::string& path) {
  const Array<std::complex<float>> array = read_array(path);
  const Shape& shape = array.shape();
  const int rank = shape.rank();
  if (rank < 2)
    throw input_error("{} has the shape {}; expected images [..., y, x]", path, shape.to_string());
  Pictures pictures{1, shape[rank - 2], shape[rank - 1], true, {}};
  pictures.count = array.size() / (pictures.y * pictures.x);
  pictures.real =
      std::all_of(array.begin(), array.end(), [](const auto& value) { return value.imag() == 0; });
  for (const auto& value : array) pictures.values.push_back(pictures.real ? value.real() : std::abs(value));
  return pictures;
}

/// From 0, or from the smallest value if some are negative, to the 99.5th percentile.
std::pair<double, double> default_window(std::vector<float> values) {
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  if (values.empty()) return {0, 1};
  const auto bright =
      values.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.995 * static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), bright, values.end());
  const double low = std::min(0.0F, *std::min_element(values.begin(), values.end()));
  double high = *bright;
  if (high <= low) high = *std::max_element(values.begin(), values.end());
  return {low, high > low ? high : low + 1};
}

Index terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Mean over the part of the image that one of `columns` × `rows` picture elements covers, as a gray level.
int gray(const float* image, const Pictures& pictures, Index column, Index row, Index columns, Index rows,
         const std::pair<double, double>& window) {
  const Index x0 = column * pictures.x / columns, x1 = std::max(x0 + 1, (column + 1) * pictures.x / columns);
  const Index y0 = row * pictures.y / rows, y1 = std::max(y0 + 1, (row + 1) * pictures.y / rows);
  double sum = 0;
  for (Index y = y0; y < y1; ++y)
    for (Index x = x0; x < x1; ++x) {
      const float value = image[y * pictures.x + x];
      sum += std::isfinite(value) ? static_cast<double>(value) : window.first;
    }
  const double mean = sum / static_cast<double>((x1 - x0) * (y1 - y0));
  return static_cast<int>(
      std::lround(std::clamp((mean - window.first) / (window.second - window.first), 0.0, 1.0) * 255));
}

/// Two rows of the picture in one line of the terminal. In colour: the upper row is the colour of the block,
/// the lower row its background; otherwise their mean is shown as a character.
std::string as_text(const Pictures& pictures, Index image, Index most_columns,
                    const std::pair<double, double>& window, bool colours) {
  constexpr std::string_view shades = " .:-=+*#%@";
  const Index columns = std::min(most_columns, pictures.x);
  const Index rows = std::max<Index>(1, (pictures.y * columns + pictures.x / 2) / pictures.x);
  const float* pixels = pictures.values.data() + image * pictures.y * pictures.x;
  std::string text;
  for (Index row = 0; row < rows; row += 2) {
    for (Index column = 0; column < columns; ++column) {
      if (!colours) {
        const int level = gray(pixels, pictures, column, row / 2, columns, (rows + 1) / 2, window);
        text += shades[static_cast<std::size_t>(level) * (shades.size() - 1) / 255];
        continue;
      }
      const int upper = gray(pixels, pictures, column, row, columns, rows, window);
      const int lower = row + 1 < rows ? gray(pixels, pictures, column, row + 1, columns, rows, window) : 0;
      text += fmt::format("\033[38;2;{0};{0};{0};48;2;{1};{1};{1}m▀", upper, lower);
    }
    text += colours ? "\033[0m\n" : "\n";
  }
  return text;
}

void write_picture(const ViewOptions& options, const Pictures& pictures, Index first, Index last,
                   const std::pair<double, double>& window) {
  ImageSeries series;
  series.kind = ImageKind::real;
  for (Index i = first; i < last; ++i) {
    Image image;
    image.pixels = Array<std::complex<float>>({1, pictures.y, pictures.x});
    const float* pixels = pictures.values.data() + i * pictures.y * pictures.x;
    std::copy_n(pixels, image.pixels.size(), image.pixels.begin());
    series.images.push_back(std::move(image));
  }
  write_png(options.output, series, {.overwrite = options.overwrite, .window = window});
}

/// All images as a web page, with their position if the file gives it.
void write_page(const ViewOptions& options) {
  const std::string name = std::filesystem::path(options.file).filename().string();
  const ImageSeries series = series_of(read_images(options.file), options.file);
  write_text(options.output, html_page(name, "<h1>" + as_html(name) + "</h1>\n" + image_viewer(series)),
             options.overwrite);
}

void view(const ViewOptions& options, const Session& session) {
  const bool page = options.output.ends_with(".html");
  if (!options.output.empty()) {
    if (!page && !options.output.ends_with(".png"))
      throw usage_error("output {}: expected a picture (.png) or a page (.html)", options.output);
    check_targets({{options.output, page ? Content::text : Content::images}}, options.overwrite,
                  all_inputs({options.file}, session));
  }
  if (page) return write_page(options);
  const Pictures pictures = pictures_of(options.file);
  if (options.image && *options.image >= pictures.count)
    throw usage_error("--image {}: {} has the images 0 to {}", *options.image, options.file,
                      pictures.count - 1);
  const auto window = options.window.value_or(default_window(pictures.values));
  if (!options.output.empty())
    return write_picture(options, pictures, options.image.value_or(0),
                         options.image ? *options.image + 1 : pictures.count, window);
  const Index image = options.image.value_or(pictures.count / 2);
  if (options.json) {
    const nlohmann::ordered_json json{{"version", version()},     {"command", session.command},
                                      {"images", pictures.count}, {"columns", pictures.x},
                                      {"rows", pictures.y},       {"window", {window.first, window.second}}};
    return print_out(json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }
  print_out(as_text(pictures, image, options.columns > 0 ? options.columns : terminal_columns(), window,
                    shows_colours(STDOUT_FILENO)) +
            fmt::format("{} image {} of {}: {} x {} pixels, {:.4g} to {:.4g}\n", one_line(options.file),
                        image, pictures.count, pictures.x, pictures.y, window.first, window.second));
}

}  // namespace

Command view_command() {
  Command command("view", "Show an image in the terminal, or as a picture",
                  "Examples:\n"
                  "  recon view image.nii.gz\n"
                  "  recon view volume.npy --image 12 --window 0,0.8 -o slice.png\n"
                  "  recon view series.nii.gz -o series.html");
  const auto options = std::make_shared<ViewOptions>();
  command
      .word("FILE",
            "images (" + extensions_for(FormatUse::numbers) + "); complex images are shown as magnitude",
            options->file)
      .required = true;
  command.text("-o,--output", "OUT",
               "write a PNG of all images or of the selected one, or a web page with all of them (.html)",
               options->output);
  command.value("--image", "I", "index of the image or slice, from 0 (default: the middle one)",
                [options](const std::string& text) { options->image = count_in(text, 0, 1000000000); });
  command.value(
      "--window", "LOW,HIGH", "values shown as black and white (default: 0 and the 99.5th percentile)",
      [options](const std::string& text) {
        const auto parts = split(text, ',');
        if (parts.size() != 2) throw usage_error("expected two numbers such as 0,1.5");
        const double low = number_in(parts[0], -1e30, 1e30), high = number_in(parts[1], -1e30, 1e30);
        if (!(high > low)) throw usage_error("expected the smaller number first");
        options->window = {low, high};
      });
  command.value("--columns", "N", "width in characters (default: that of the terminal)",
                [options](const std::string& text) { options->columns = count_in(text, 1, 1000); });
  command.flag("-f,--overwrite", "replace a picture that exists", options->overwrite);
  command.flag("--json", "print sizes and window instead of the image", options->json);
  command.exclude({"--json", "--output"});
  command.action = [options](const Session& session) { view(*options, session); };
  return command;
}

}  // namespace larmor::app
