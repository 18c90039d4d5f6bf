#pragma once

#include <dlfcn.h>

namespace larmor {

inline bool find_symbols(void*) {
  return true;
}

/// Functions of a library that is loaded at run time, each by name; false if one is missing.
template <typename Function, typename... Rest>
bool find_symbols(void* library, const char* name, Function& function, Rest&&... rest) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr && find_symbols(library, rest...);
}

}  // namespace larmor
