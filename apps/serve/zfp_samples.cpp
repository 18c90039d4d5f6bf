#include <larmor/apps/serve/zfp_samples.hpp>

#include <zfp.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace larmor::app {
namespace {

using Field = std::unique_ptr<zfp_field, decltype(&::zfp_field_free)>;
using Decoder = std::unique_ptr<zfp_stream, decltype(&::zfp_stream_close)>;
using Bits = std::unique_ptr<bitstream, decltype(&::stream_close)>;

// Gadgetron's client writes a full ZFP header, then the samples as floats [channels][2 samples], with a limit
// for the precision or for the error.
bool decompress(const ReadoutHeader& readout, std::span<const std::byte> from, std::span<float> to) {
  const std::size_t width = 2 * std::size_t{readout.samples}, height = readout.active_channels;
  const Field field(zfp_field_2d(to.data(), zfp_type_float, width, height), &::zfp_field_free);
  const Decoder decoder(zfp_stream_open(nullptr), &::zfp_stream_close);
  // libzfp does not check for the end of its input. From damaged data it reads at most the size that
  // incompressible data would have, which is that of a new decoder.
  const std::size_t most = zfp_stream_maximum_size(decoder.get(), field.get());
  if (from.size() > most) return false;
  const std::size_t word = stream_word_bits / 8;
  std::vector<std::uint64_t> input(most / sizeof(std::uint64_t) + 2);
  std::copy(from.begin(), from.end(), std::as_writable_bytes(std::span(input)).begin());
  const Bits bits(stream_open(input.data(), input.size() * sizeof(std::uint64_t)), &::stream_close);
  zfp_stream_set_bit_stream(decoder.get(), bits.get());
  if (zfp_read_header(decoder.get(), field.get(), ZFP_HEADER_FULL) == 0) return false;
  const bool expected = field->type == zfp_type_float && field->nx == width && field->ny == height &&
                        field->nz == 0 && field->nw == 0;
  // The other modes, padded and lossless, may read more.
  const bool bounded = decoder->minbits <= ZFP_MIN_BITS && decoder->minexp >= ZFP_MIN_EXP;
  if (!expected || !bounded) return false;
  const std::size_t read = zfp_decompress(decoder.get(), field.get());
  return read == (from.size() + word - 1) / word * word;
}

}  // namespace

mrd::Decompress zfp_samples() {
  return decompress;
}

}  // namespace larmor::app
