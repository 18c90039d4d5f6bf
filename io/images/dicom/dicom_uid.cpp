#include <larmor/io/images/dicom/dicom_uid.hpp>

namespace larmor {

std::string dicom_uid_of(const std::string& text) {
  __extension__ using Wide = unsigned __int128;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) | Wide{0x62b821756295c58d};
  const Wide prime = (Wide{1} << 88) | Wide{0x13b};
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  // The version is in bits 76 to 79, the variant in 62 and 63.
  hash = (hash & ~(Wide{0xf} << 76)) | (Wide{8} << 76);
  hash = (hash & ~(Wide{3} << 62)) | (Wide{2} << 62);
  std::string digits;
  for (; hash != 0; hash /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(hash % 10)));
  return "2.25." + digits;
}

}  // namespace larmor
