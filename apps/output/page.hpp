#pragma once

#include <larmor/core/data/image.hpp>

#include <string>

namespace larmor::app {

/// Text escaped for HTML, whatever a file or an argument contains.
std::string as_html(const std::string& text);

/// A self-contained web page; `title` is plain text, `body` is HTML. It follows the browser's dark scheme and
/// can be printed.
std::string html_page(const std::string& title, const std::string& body);

/// The images of a series for html_page(), with scale and orientation: one at a time, or all side by side.
/// Mouse, keys and sliders change the window and the image shown; without scripts all images are shown. One
/// viewer per page. Throws Error as png_of() does.
std::string image_viewer(const ImageSeries& series);

/// A picture of all images of a series, with an alternative text.
std::string image_tag(const std::string& text, const ImageSeries& series);

}  // namespace larmor::app
