#pragma once

#include <larmor/core/data/image.hpp>

#include <string>

namespace larmor::app {

/// Text as a browser shows it, whatever a file or an argument holds.
std::string as_html(const std::string& text);

/// A page in one file that fetches nothing; `title` is plain text, `body` is HTML. It follows the browser's
/// dark scheme and prints.
std::string html_page(const std::string& title, const std::string& body);

/// The images of a series for html_page(), with scale and orientation: one at a time, or all side by side.
/// Their window and the image shown change by mouse, keys and sliders; without scripts all of them are shown.
/// One viewer a page. Throws Error as png_of() does.
std::string image_viewer(const ImageSeries& series);

/// A picture of all images of a series, with a text for those who do not see it.
std::string image_tag(const std::string& text, const ImageSeries& series);

}  // namespace larmor::app
