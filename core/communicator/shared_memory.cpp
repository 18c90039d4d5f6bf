#include <larmor/core/communicator/shared_memory.hpp>
#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cstring>

namespace larmor {

SharedMemoryCommunicator::SharedMemoryCommunicator(std::shared_ptr<RankSegment> segment, int rank)
    : Communicator(rank, segment->ranks()), segment_(std::move(segment)) {
  if (rank < 0 || rank >= size()) throw usage_error("rank {} of {}", rank, size());
}

// Piece by piece: each rank shows its values, makes its share of the results where they were shown, and takes
// all of them. A piece is overwritten only when everybody has passed the second barrier, and so has read it.
template <typename Real>
void SharedMemoryCommunicator::reduce_chunks(Real* values, Index count, Reduction how) {
  constexpr auto piece = static_cast<Index>(RankSegment::chunk_bytes / sizeof(Real));
  auto* const result = reinterpret_cast<Real*>(segment_->result());
  for (Index begin = 0; begin < count; begin += piece) {
    const Index here = std::min(piece, count - begin);
    const std::size_t bytes = static_cast<std::size_t>(here) * sizeof(Real);
    std::memcpy(segment_->chunk(rank()), values + begin, bytes);
    segment_->barrier();
    const Share own = share_of(here, rank(), size());
    const auto shown = [&](int from) { return reinterpret_cast<Real*>(segment_->chunk(from)) + own.first; };
    for (int step = 1; step < size(); step *= 2)
      for (int to = 0; to + step < size(); to += 2 * step) {
        Real* const sum = shown(to);
        const Real* const more = shown(to + step);
        if (how == Reduction::sum)
          for (Index i = 0; i < own.count; ++i) sum[i] += more[i];
        else
          for (Index i = 0; i < own.count; ++i) sum[i] = std::max(sum[i], more[i]);
      }
    std::copy_n(shown(0), own.count, result + own.first);
    segment_->barrier();
    std::memcpy(values + begin, result, bytes);
  }
}

void SharedMemoryCommunicator::reduce_on_host(const Values& values) {
  if (values.element == Element::single)
    reduce_chunks(static_cast<float*>(values.data), values.count, values.how);
  else
    reduce_chunks(static_cast<double*>(values.data), values.count, values.how);
}

void SharedMemoryCommunicator::broadcast_on_host(void* bytes, std::size_t size, int root) {
  auto* const all = static_cast<std::byte*>(bytes);
  for (std::size_t begin = 0; begin < size; begin += RankSegment::chunk_bytes) {
    const std::size_t here = std::min(RankSegment::chunk_bytes, size - begin);
    if (rank() == root) std::memcpy(segment_->chunk(root), all + begin, here);
    segment_->barrier();
    if (rank() != root) std::memcpy(all + begin, segment_->chunk(root), here);
    segment_->barrier();
  }
}

void SharedMemoryCommunicator::abort(int status, const std::string& message) noexcept {
  segment_->fail(rank(), status, message);
}

}  // namespace larmor
