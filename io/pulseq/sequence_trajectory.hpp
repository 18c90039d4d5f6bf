#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <string>
#include <string_view>

namespace LARMOR_API larmor {

/// The k-space positions sampled by a Pulseq sequence (.seq, versions 1.2 to 1.5), in 1/m along its x, y and
/// z gradients: [acquisitions, samples, dims], or [all samples, dims] if acquisitions differ in length. dims
/// is 2 if kz stays within a thousandth of the largest kx or ky, otherwise 3. k(t) is the integral of the
/// gradients from the centre of the last excitation pulse; refocusing pulses invert its sign (Layton et al.,
/// Magn. Reson. Med. 77:1544, 2017); the rotation of a block (1.5) applies to its gradients. Throws Error:
/// input for files that are not such sequences, have no acquisitions, or are larger than any scanner's;
/// resource.
Array<double> read_pulseq(const std::string& path);

/// The text of a file that may be a sequence. Throws Error (input).
std::string pulseq_text(const std::string& path);

/// The field of view in mm from the sequence's definitions; zeros if missing.
std::array<double, 3> read_pulseq_fov(const std::string& path);

/// The same as read_pulseq() of the text of a file; `name` is for messages.
Array<double> pulseq_trajectory(std::string_view text, const std::string& name);
namespace pulseq {
struct Sequence;
}
/// The same of a sequence.
Array<double> pulseq_trajectory(const pulseq::Sequence& sequence, const std::string& name);

}  // namespace larmor
