#include <larmor/mri/trajectory/readout_line.hpp>

namespace larmor {

const char* to_string(ReadoutConvention::Reversed reversed) {
  constexpr const char* names[] = {"its index in the file", "its index in the file plus one",
                                   "its index counted from the end"};
  return names[static_cast<std::size_t>(reversed)];
}

Index echo_sample(const ReadoutHeader& header, const ReadoutConvention& convention) {
  const Index samples = header.samples;
  const bool stated =
      header.center_sample < samples && (header.center_sample > 0 || convention.zero_is_first);
  const Index centre = stated ? Index{header.center_sample} : samples / 2;
  if (!header.has(AcquisitionFlag::reverse)) return centre;
  switch (convention.reversed) {
    case ReadoutConvention::Reversed::one_before:
      return centre - 1;
    case ReadoutConvention::Reversed::from_end:
      return samples - 1 - centre;
    default:
      return centre;
  }
}

std::vector<double> readout_line(const ReadoutHeader& header, const ReadoutConvention& convention) {
  const Index echo = echo_sample(header, convention);
  const double direction = header.has(AcquisitionFlag::reverse) ? -1 : 1;
  std::vector<double> position;
  for (Index j = header.discard_pre; j < Index{header.samples} - header.discard_post; ++j)
    position.push_back(direction * static_cast<double>(j - echo));
  return position;
}

}  // namespace larmor
