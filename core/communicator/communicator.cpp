#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/format_error.hpp>

namespace larmor {

void Communicator::reduce(const Values& values, const Device& device) {
  if (values.count == 0) return;
  if (device.on_gpu()) return reduce_on_device(values, device.ordinal);
  reduce_on_host(values);
}

void Communicator::broadcast_bytes(void* bytes, std::size_t size, int root, const Device& device) {
  if (root < 0 || root >= size_) throw internal_error("a broadcast of rank {} of {}", root, size_);
  if (size == 0) return;
  if (device.on_gpu()) return broadcast_on_device(bytes, size, root, device.ordinal);
  broadcast_on_host(bytes, size, root);
}

void Communicator::reduce_on_device(const Values& /*values*/, int ordinal) {
  throw resource_error("arrays on CUDA device {} can be sent to other ranks by NCCL only", ordinal);
}

void Communicator::broadcast_on_device(void* /*bytes*/, std::size_t /*size*/, int /*root*/, int ordinal) {
  throw resource_error("arrays on CUDA device {} can be sent to other ranks by NCCL only", ordinal);
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
