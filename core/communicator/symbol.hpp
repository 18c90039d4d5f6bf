#pragma once

#include <dlfcn.h>

namespace larmor {

// A function of a library that is loaded while the program runs; false where it is not there.
template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace larmor
