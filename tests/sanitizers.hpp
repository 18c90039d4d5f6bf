#pragma once

namespace larmor::test {

/// Whether this is built with a sanitizer, whose memory counts as the program's: AddressSanitizer wants
/// addresses, ThreadSanitizer more the more is done.
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
