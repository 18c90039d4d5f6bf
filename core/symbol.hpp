#pragma once

#include <dlfcn.h>

namespace larmor {

inline bool find_symbols(void*) {
  return true;
}

/// Functions of a library that is loaded while the program runs, each after its name; false where one is not
/// there.
template <typename Function, typename... Rest>
bool find_symbols(void* library, const char* name, Function& function, Rest&&... rest) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr && find_symbols(library, rest...);
}

}  // namespace larmor
