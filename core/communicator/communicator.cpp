#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <tuple>

namespace larmor {

/// Page-locked memory between a device and what the host exchanges: one buffer for each kind of call, whose
/// address a recorded graph may keep.
struct Communicator::Staging {
  struct Call {
    Communicator* communicator;
    void* memory;
    std::size_t bytes;
    int root;  // −1: a reduction
    Values values;
    int ordinal;
  };
  using Key = std::tuple<std::size_t, int, Element, Reduction, int>;

  Call& call(Communicator& communicator, std::size_t bytes, int root, const Values& values, int ordinal) {
    auto& known = calls[{bytes, root, values.element, values.how, ordinal}];
    if (!known) {
      void* memory = cuda::allocate_on_host(bytes, ordinal);
      if (memory == nullptr)
        throw resource_error("{} bytes of page-locked memory for the exchange with other ranks are not there",
                             bytes);
      known = std::make_unique<Call>(Call{&communicator, memory, bytes, root, values, ordinal});
      known->values.data = memory;
    }
    return *known;
  }

  std::map<Key, std::unique_ptr<Call>> calls;
  std::atomic<bool> lost{false};  // a call within the stream's order has failed
};

Communicator::Communicator(int rank, int size) : rank_(rank), size_(size) {}
Communicator::~Communicator() = default;

Communicator::Staging& Communicator::staging() {
  if (!staging_) staging_ = std::make_unique<Staging>();
  return *staging_;
}

void Communicator::release_staging() noexcept {
  if constexpr (cuda::built)
    if (staging_)
      for (const auto& [key, call] : staging_->calls) cuda::release_on_host(call->memory, call->ordinal);
  staging_.reset();
}

// What the stream still has to exchange comes first.
void Communicator::settle() {
  if constexpr (cuda::built)
    if (staging_ && !staging_->calls.empty()) cuda::synchronize(staging_->calls.begin()->second->ordinal);
  if (staging_ && staging_->lost) throw Error(rank_lost, "another rank has ended");
}

void Communicator::reduce(const Values& values, const Device& device) {
  if (values.count == 0) return;
  if (device.on_gpu()) return reduce_on_device(values, device.ordinal);
  settle();
  reduce_on_host(values);
}

void Communicator::broadcast_bytes(void* bytes, std::size_t size, int root, const Device& device) {
  if (root < 0 || root >= size_) throw internal_error("a broadcast of rank {} of {}", root, size_);
  if (size == 0) return;
  if (device.on_gpu()) return broadcast_on_device(bytes, size, root, device.ordinal);
  settle();
  broadcast_on_host(bytes, size, root);
}

void Communicator::reduce_on_device(const Values& values, int ordinal) {
  if constexpr (cuda::built) {
    const std::size_t element = values.element == Element::single ? sizeof(float) : sizeof(double);
    Staging::Call& call =
        staging().call(*this, static_cast<std::size_t>(values.count) * element, -1, values, ordinal);
    using cuda::Direction;
    cuda::copy_bytes(call.memory, values.data, call.bytes, Direction::within, ordinal);
    cuda::call_on_host(
        [](void* argument) {
          auto& staged = *static_cast<Staging::Call*>(argument);
          try {
            staged.communicator->reduce_on_host(staged.values);
          } catch (...) {
            staged.communicator->staging_->lost = true;
          }
        },
        &call, ordinal);
    cuda::copy_bytes(values.data, call.memory, call.bytes, Direction::within, ordinal);
  }
}

void Communicator::broadcast_on_device(void* bytes, std::size_t size, int root, int ordinal) {
  if constexpr (cuda::built) {
    const Values none{nullptr, 0, Element::single, Reduction::sum};
    Staging::Call& call = staging().call(*this, size, root, none, ordinal);
    using cuda::Direction;
    if (rank_ == root) cuda::copy_bytes(call.memory, bytes, size, Direction::within, ordinal);
    cuda::call_on_host(
        [](void* argument) {
          auto& staged = *static_cast<Staging::Call*>(argument);
          try {
            staged.communicator->broadcast_on_host(staged.memory, staged.bytes, staged.root);
          } catch (...) {
            staged.communicator->staging_->lost = true;
          }
        },
        &call, ordinal);
    if (rank_ != root) cuda::copy_bytes(bytes, call.memory, size, Direction::within, ordinal);
  }
}

double Communicator::all_reduce(double value, Reduction how) {
  all_reduce(View<double>(&value, {1}), how);
  return value;
}

std::string Communicator::broadcast(std::string text, int root) {
  auto size = static_cast<std::uint64_t>(text.size());
  broadcast(View<std::uint64_t>(&size, {1}), root);
  text.resize(size);
  broadcast(View<char>(text.data(), {static_cast<Index>(size)}), root);
  return text;
}

void Communicator::barrier() {
  all_reduce(0.0);
}

int Communicator::agree_on_status(int status) {
  return static_cast<int>(all_reduce(static_cast<double>(status), Reduction::maximum));
}

Share share_of(Index count, int rank, int size) {
  const Index first = count * rank / size, end = count * (rank + 1) / size;
  return {first, end - first};
}

}  // namespace larmor
