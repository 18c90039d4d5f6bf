#pragma once

#include <larmor/io/files/text.hpp>

#include <pugixml.hpp>

#include <string_view>

// Elements of a header by their names without namespace prefix; not part of the public interface.

namespace larmor {

inline std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// The first child element with a name; an empty node if there is none.
inline pugi::xml_node child(const pugi::xml_node& parent, std::string_view name) {
  for (pugi::xml_node node = parent.first_child(); node; node = node.next_sibling())
    if (node.type() == pugi::node_element && local_name(node) == name) return node;
  return {};
}

inline std::string_view text_of(const pugi::xml_node& node) {
  return trimmed(node.child_value());
}

}  // namespace larmor
