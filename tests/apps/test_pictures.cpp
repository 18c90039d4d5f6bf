#include <gtest/gtest.h>

#include "apps/recon_process.hpp"
#include "foreign_program.hpp"

#include <larmor/io/formats.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

// Pictures for the user: --report report.html, recon view.

namespace larmor::test {
namespace {

/// The text between two others, or nothing.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const std::size_t first = from + begin.size();
  return text.substr(first, text.find(end, first) - first);
}

std::string decoded(const std::string& base64) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(HtmlReport, IsOnePageWithPictureDecisionsAndCurves) {
  const TemporaryFolder folder;
  succeed({"simulate", folder / "s<b>.h5", "--matrix", "25", "--spokes", "30", "--coils", "2", "-q"});
  const Outcome outcome = succeed({"run", folder / "s<b>.h5", "-o", folder / "image.png", "--report",
                                   folder / "report.html", "--regularizer", "l2:1e-3", "--iterations", "7"});
  const std::string page = read_file(folder / "report.html");
  EXPECT_EQ(decoded(between(page, "data:image/png;base64,", "\"")).substr(1, 3), "PNG");
  const std::string card = between(page, "<dl>", "</dl>");
  for (const char* text : {"<dt>Matrix</dt><dd>25 × 25</dd>", "<dt>Coils</dt><dd>2, maps: espirit</dd>",
                           "<dt>λ</dt><dd>0.001</dd>", "cg, 7 iterations", "<dt>Expected error</dt>"})
    EXPECT_NE(card.find(text), std::string::npos) << text << " in: " << card;
  EXPECT_NE(card.find("<dt>Regulariser</dt><dd>l2</dd>"), std::string::npos) << card;
  const std::string decisions = between(page, "<h2>Decisions</h2>", "</ul>");
  for (const char* text : {"field-of-view shift", "NUFFT error", "trajectory units"})
    EXPECT_NE(decisions.find(text), std::string::npos) << text << " in: " << decisions;
  const std::string curve = between(page, "<polyline", "/>");
  EXPECT_EQ(occurrences(curve, ","), 7U) << curve;
  EXPECT_NE(page.find("<span>iterate</span>"), std::string::npos);
  // The page loads nothing, escapes the user's text, and does not reveal folders.
  for (const std::string& text : {std::string("http"), std::string("<script src"), std::string("<link"),
                                  std::string("s<b>"), folder.path().string()})
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  EXPECT_NE(page.find("s&lt;b&gt;.h5"), std::string::npos);
  for (const char* tag : {"html", "body", "head", "style", "h1", "h2", "ul", "li", "svg", "pre", "text",
                          "details", "figure", "div", "dl", "dt", "dd"}) {
    const std::string name(tag);
    EXPECT_EQ(occurrences(page, "<" + name + ">") + occurrences(page, "<" + name + " "),
              occurrences(page, "</" + name + ">"))
        << tag;
  }
}

TEST(HtmlReport, ShowsTheWeightsThatWereTriedAndWhatThereIs) {
  const TemporaryFolder folder;
  succeed({"simulate", folder / "s.h5", "--matrix", "24", "--spokes", "16", "--coils", "3", "-q"});
  const auto page = [&](const Words& more) {
    succeed(joined(
        {"run", folder / "s.h5", "-o", folder / "i.npy", "--report", folder / "r.html", "-f", "-q"}, more));
    return read_file(folder / "r.html");
  };
  const std::string weighed = page({"--regularizer", "wavelet:auto", "--iterations", "20"});
  const std::string risk = between(weighed, "<h3>Weights that were tried</h3>", "</svg>");
  EXPECT_GT(occurrences(between(risk, "points=\"", "\""), ","), 3U) << risk;
  const std::string drawn = between(weighed, "<h2>Trajectory</h2>", "<h2>");
  EXPECT_EQ(occurrences(drawn, "<polyline"), 16U);
  EXPECT_EQ(occurrences(drawn, "<svg"), 1U) << "there is no kz";
  EXPECT_NE(
      page({}).find("<dt>Regulariser</dt><dd>default: each spatial frequency is weighted by its signal and "
                    "noise, for the least expected error</dd>"),
      std::string::npos);
  // Without a coil model, iterations or a choice, the page has no section on them.
  const std::string plain = page({"--solver", "gridding", "--combine", "rss"});
  for (const char* title : {"<h3>Residual", "<h3>Weight", "<h2>Coil maps", "<h2>Convergence"})
    EXPECT_EQ(plain.find(title), std::string::npos) << title;
  EXPECT_NE(plain.find("<h2>Trajectory</h2>"), std::string::npos);
}

TEST(View, IsCharactersWhereThereIsNoTerminal) {
  const TemporaryFolder folder;
  Array<float> image({3, 2});
  const float values[] = {0, 1, 1, 0, 0.5F, 2};
  std::copy(std::begin(values), std::end(values), image.begin());
  write_array<float>(folder / "image.npy", image);
  const Outcome outcome = succeed({"view", folder / "image.npy", "--window", "0,1"});
  EXPECT_TRUE(outcome.out.starts_with(" @\n*@\n")) << outcome.out;
  EXPECT_NE(outcome.out.find("2 x 3 pixels, 0 to 1"), std::string::npos) << outcome.out;
  // Half as many columns: means of two pixels.
  const Outcome narrow = recon({"view", folder / "image.npy", "--window", "0,2", "--columns", "1"});
  EXPECT_TRUE(narrow.out.starts_with("-\n")) << narrow.out;
}

/// A terminal that runs a command and whose screen can be read.
class Terminal {
 public:
  explicit Terminal(const std::string& command) {
    write_file(script_, command + "\necho the end\nsleep 60\n");
    EXPECT_EQ(tmux("new-session -d -x 40 -y 20 'sh " + script_ + "'"), 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { EXPECT_EQ(tmux("kill-server"), 0); }
  /// The screen with colours, once the command has ended.
  std::string screen() const {
    const std::string shown = folder_ / "shown";
    for (int i = 0; i < 400; ++i) {
      EXPECT_EQ(tmux("capture-pane -p -e >" + shown), 0);
      if (read_file(shown).find("the end") != std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return read_file(shown);
  }

 private:
  int tmux(const std::string& words) const {
    return std::system(("tmux -u -f /dev/null -S " + (folder_ / "socket") + " " + words).c_str());
  }

  TemporaryFolder folder_;
  std::string script_ = folder_ / "script";
};

TEST(View, IsWhatATerminalShows) {
  LARMOR_NEEDS_PROGRAM("tmux");
  const TemporaryFolder folder;
  Array<float> image({4, 3});
  const float values[] = {0, 1, 0.5F, 1, 0, 0.25F, 0, 0, 0, 1, 1, 1};
  std::copy(std::begin(values), std::end(values), image.begin());
  write_array<float>(folder / "image.npy", image);
  const Terminal terminal(LARMOR_RECON " view " + (folder / "image.npy") + " --window 0,1");
  const std::string screen = terminal.screen(), block = "\u2580";
  const auto first = screen.find(block), last = screen.rfind(block);
  ASSERT_NE(first, std::string::npos) << screen;
  EXPECT_EQ(occurrences(screen, block), 6U) << screen;
  // The colours of the pixels, each written when it changes.
  for (const char* colour : {"38;2;0;0;0", "48;2;255;255;255", "38;2;128;128;128", "48;2;64;64;64"})
    EXPECT_NE(screen.substr(0, last).find(colour), std::string::npos) << colour << "\n" << screen;
  EXPECT_NE(screen.find("3 x 4 pixels, 0 to 1"), std::string::npos) << screen;
}

TEST(View, WritesThePictureThatRunWrites) {
  const TemporaryFolder folder;
  succeed({"simulate", folder / "s.h5", "--matrix", "24", "--spokes", "30", "--coils", "2", "-q"});
  succeed(
      {"run", folder / "s.h5", "-o", folder / "a.npy", "-o", folder / "a.png", "--solver", "gridding", "-q"});
  succeed({"view", folder / "a.npy", "-o", folder / "b.png"});
  EXPECT_EQ(recon({"view", folder / "a.npy", "-o", folder / "b.png"}).status, 2) << "kept without -f";
  EXPECT_EQ(read_file(folder / "b.png"), read_file(folder / "a.png"));
  EXPECT_EQ(recon({"view", folder / "a.npy", "--image", "1"}).status, 2);
  EXPECT_EQ(recon({"view", folder / "a.npy", "--window", "1,0"}).status, 2);
  EXPECT_EQ(recon({"view", folder / "a.png"}).status, 2);
  EXPECT_EQ(recon({"view", folder / "missing.npy"}).status, 3);
}

/// From the patient's left to right, and from foot to head, 200 mm wide; two images.
ImageSeries sagittal_series() {
  ImageSeries series;
  for (std::uint16_t i = 0; i < 2; ++i) {
    Image image;
    image.pixels = Array<std::complex<float>>({1, 3, 2});
    for (Index j = 0; j < 6; ++j) image.pixels[j] = static_cast<float>(j);
    image.geometry.matrix = {2, 3, 1};
    image.geometry.fov_mm = {200, 100, 5};
    image.geometry.read_dir = {0, 1, 0};
    image.geometry.phase_dir = {0, 0, -1};
    image.geometry.slice_dir = {-1, 0, 0};
    image.counters.repetition = i;
    series.images.push_back(std::move(image));
  }
  return series;
}

TEST(View, WritesAPageWithScaleAndOrientation) {
  const TemporaryFolder folder;
  write_images(folder / "images.h5", sagittal_series());
  succeed({"view", folder / "images.h5", "-o", folder / "page.html"});
  EXPECT_EQ(recon({"view", folder / "images.h5", "-o", folder / "page.html"}).status, 2) << "kept without -f";
  const std::string page = read_file(folder / "page.html");
  for (const char* text : {"overlay left\">A<", "overlay right\">P<", "overlay top\">S<",
                           "overlay bottom\">I<", "width: 25%\">50 mm<", "--ratio: 2; --ratio-of-all: 4",
                           "repetition 2 of 2", "<h1>images.h5</h1>", "id=\"image\""})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  // Arrays have no position, and a single image needs no selection.
  Array<float> image({4, 6});
  std::fill(image.begin(), image.end(), 1.0F);
  write_array<float>(folder / "a.npy", image);
  succeed({"view", folder / "a.npy", "-o", folder / "a.html"});
  const std::string plain = read_file(folder / "a.html");
  for (const char* text : {"overlay left", "overlay scale", "id=\"image\""})
    EXPECT_EQ(plain.find(text), std::string::npos) << text;
}

TEST(HtmlReport, IsShownByABrowserWithoutNetwork) {
  LARMOR_NEEDS_PROGRAM("chromium");
  const TemporaryFolder folder;
  succeed({"simulate", folder / "scan.h5", "--trajectory", "kooshball", "--matrix", "16", "--spokes", "300",
           "--coils", "2", "-q"});
  succeed({"run", folder / "scan.h5", "-o", folder / "image.npy", "--report", folder / "report.html", "-q"});
  // The page cannot reach any other host.
  const std::string browser =
      "HOME=" + folder.path().string() +
      " timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
      "--host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=2000 ";
  const std::string page = " file://" + (folder / "report.html");
  const std::string shown = folder / "shown.html", picture = folder / "shown.png";
  ASSERT_EQ(std::system((browser + "--dump-dom" + page + " >" + shown + " 2>/dev/null").c_str()), 0);
  const std::string text = read_file(shown);
  EXPECT_NE(text.find("<h1>scan.h5</h1>"), std::string::npos) << text.substr(0, 500);
  // The script has run: it shows the middle one of 16 slices, with the default window.
  EXPECT_NE(text.find("--column: 0; --row: 2;"), std::string::npos);
  EXPECT_NE(text.find("<div class=\"stage\""), std::string::npos);
  EXPECT_NE(text.find("slope=\"2\""), std::string::npos);
  EXPECT_EQ(occurrences(text, "<svg"), occurrences(read_file(folder / "report.html"), "<svg"));
  for (const char* title : {"Convergence", "Decisions", "Coil maps", "Trajectory", "Time", "Full report"})
    EXPECT_EQ(occurrences(text, std::string("<h2>") + title), 1U) << title;
  EXPECT_EQ(occurrences(text, "src=\"data:image/png"), 2U);
  EXPECT_NE(text.find(">kz, −0.5"), std::string::npos) << "seen from the side too";
  EXPECT_EQ(text.find("src=\"http"), std::string::npos);
  ASSERT_EQ(std::system((browser + "--screenshot=" + picture + page + " >/dev/null 2>&1").c_str()), 0);
  EXPECT_GT(std::filesystem::file_size(picture), 10000U) << "an empty page is smaller";
}

}  // namespace
}  // namespace larmor::test
