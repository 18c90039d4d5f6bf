#include <larmor/core/communicator/pairwise.hpp>

#include <algorithm>

namespace larmor {
namespace {

// A message: what is added to it is in the processor's cache still.
constexpr std::size_t piece = std::size_t{1} << 19;

template <typename Part>
void in_pieces(void* bytes, std::size_t size, const Part& part) {
  for (std::size_t begin = 0; begin < size; begin += piece)
    part(static_cast<std::byte*>(bytes) + begin, std::min(piece, size - begin));
}

}  // namespace

std::vector<int> PairwiseCommunicator::below(int rank, int size) {
  std::vector<int> ranks;
  for (int step = 1; rank + step < size && (rank == 0 || rank % (2 * step) == 0); step *= 2)
    ranks.push_back(rank + step);
  return ranks;
}

template <typename Real>
void PairwiseCommunicator::add_up(Real* values, Index count, Reduction how) {
  const std::vector<int> others = below(rank(), size());
  std::vector<Real> more(others.empty() ? 0 : piece / sizeof(Real));
  in_pieces(values, static_cast<std::size_t>(count) * sizeof(Real), [&](std::byte* bytes, std::size_t here) {
    auto* const own = reinterpret_cast<Real*>(bytes);
    for (const int other : others) {
      receive(other, more.data(), here);
      const auto end = more.begin() + static_cast<std::ptrdiff_t>(here / sizeof(Real));
      if (how == Reduction::sum)
        std::transform(more.begin(), end, own, own, [](Real a, Real b) { return b + a; });
      else
        std::transform(more.begin(), end, own, own, [](Real a, Real b) { return std::max(a, b); });
    }
    if (rank() != 0) send(above(rank()), bytes, here);
  });
}

void PairwiseCommunicator::hand_down(void* bytes, std::size_t size) {
  // The farthest first: it has the most to hand on.
  std::vector<int> others = below(rank(), this->size());
  std::reverse(others.begin(), others.end());
  in_pieces(bytes, size, [&](std::byte* part, std::size_t here) {
    if (rank() != 0) receive(above(rank()), part, here);
    for (const int other : others) send(other, part, here);
  });
}

void PairwiseCommunicator::reduce_on_host(const Values& values) {
  const bool single = values.element == Element::single;
  if (single)
    add_up(static_cast<float*>(values.data), values.count, values.how);
  else
    add_up(static_cast<double*>(values.data), values.count, values.how);
  hand_down(values.data, static_cast<std::size_t>(values.count) * (single ? sizeof(float) : sizeof(double)));
}

void PairwiseCommunicator::broadcast_on_host(void* bytes, std::size_t size, int root) {
  // Up to rank 0 by those between, then down to all.
  for (int from = root; from != 0; from = above(from))
    in_pieces(bytes, size, [&](std::byte* part, std::size_t here) {
      if (rank() == from) send(above(from), part, here);
      if (rank() == above(from)) receive(from, part, here);
    });
  hand_down(bytes, size);
}

}  // namespace larmor
