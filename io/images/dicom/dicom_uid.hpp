#pragma once

#include <string>

namespace larmor {

/// A DICOM unique identifier derived from a text: the same text gives the same identifier. It does not
/// contain the text, but can be verified by anyone who has or guesses the text. "2.25." and the number of a
/// UUID of version 8 (RFC 9562), whose free bits are the text's hash (FNV-1a of 128 bits; Fowler, Noll, Vo).
std::string dicom_uid_of(const std::string& text);

}  // namespace larmor
