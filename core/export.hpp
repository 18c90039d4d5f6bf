#pragma once

// A public header opens its namespace with this word: what it declares is seen outside of a shared library,
// its types are the same on both sides, and the header is installed. Everything else stays inside.
#define LARMOR_API [[gnu::visibility("default")]]
