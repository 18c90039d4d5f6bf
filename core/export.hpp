#pragma once

// A public header opens its namespace with this macro: its declarations are exported from a shared library,
// its types are the same on both sides, and the header is installed. Everything else is hidden.
#define LARMOR_API [[gnu::visibility("default")]]
