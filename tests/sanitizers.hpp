#pragma once

namespace larmor::test {

/// True in builds with a sanitizer, whose memory counts as the program's: AddressSanitizer needs address
/// space, ThreadSanitizer ever more memory over time.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool with_address_sanitizer = true;
#else
inline constexpr bool with_address_sanitizer = false;
#endif
#ifdef __SANITIZE_THREAD__
inline constexpr bool with_thread_sanitizer = true;
#else
inline constexpr bool with_thread_sanitizer = false;
#endif

}  // namespace larmor::test
