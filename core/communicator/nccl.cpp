#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/symbol.hpp>

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <future>
#include <utility>

namespace larmor {
namespace {

// The part of NCCL in use, as its user guide documents it (API: types and functions). Declared here because
// the library is looked up at run time, not at build time.
struct UniqueId {
  std::array<char, 128> bytes;
};
using Handle = struct ncclComm*;
enum Result { success = 0 };
enum Type { bytes_type = 0, single_type = 7, double_type = 8 };
enum Operation { sum = 0, maximum = 2 };

struct Nccl {
  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(UniqueId*) = nullptr;
  int (*init_rank)(Handle*, int, UniqueId, int) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, Handle, cuda::Stream) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int, int, Handle, cuda::Stream) = nullptr;
  int (*destroy)(Handle) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int version = 0;

  std::string version_text() const {
    return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
  }
};

// The library, which stays loaded; `why_not` remains empty.
Nccl load(std::string& why_not) {
  Nccl nccl;
  void* library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why_not = fmt::format("it is not installed ({})", ::dlerror());
    return nccl;
  }
  const bool found =
      find_symbols(library, "ncclGetVersion", nccl.get_version, "ncclGetUniqueId", nccl.get_unique_id,
                   "ncclCommInitRank", nccl.init_rank, "ncclAllReduce", nccl.all_reduce, "ncclBroadcast",
                   nccl.broadcast, "ncclCommDestroy", nccl.destroy, "ncclGetErrorString", nccl.error_string);
  // Since version 2.9 its calls can be recorded into CUDA graphs.
  constexpr int oldest = 20900;
  if (!found || nccl.get_version(&nccl.version) != success || nccl.version < oldest)
    why_not = "libnccl.so.2 is older than 2.9";
  return nccl;
}

// Throws on all ranks if one of them has an error.
void require_all(Communicator& host, std::string reason) {
  if (host.agree_on_status(reason.empty() ? 0 : 1) == 0) return;
  if (reason.empty()) reason = "another rank cannot use it";
  throw resource_error("GPUs of several ranks need NCCL: {}", reason);
}

class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(std::shared_ptr<Communicator> host, const Nccl& nccl, const UniqueId& id,
                   const Device& device)
      : Communicator(host->rank(), host->size()),
        host_(std::move(host)),
        nccl_(nccl),
        connected_(
            std::async(std::launch::async, [this, id, device] { return connect(id, device.ordinal); })) {}
  ~NcclCommunicator() override {
    if (connected_.valid()) connection_ = connected_.get();
    if (connection_.handle != nullptr) nccl_.destroy(connection_.handle);
  }
  std::string name() const override { return "NCCL " + nccl_.version_text(); }
  void abort(int status, const std::string& message) noexcept override { host_->abort(status, message); }

 protected:
  void reduce_on_host(const Values& values) override {
    if (values.element == Element::single)
      host_->all_reduce(View<float>(static_cast<float*>(values.data), {values.count}), values.how);
    else
      host_->all_reduce(View<double>(static_cast<double*>(values.data), {values.count}), values.how);
  }
  void broadcast_on_host(void* bytes, std::size_t size, int root) override {
    host_->broadcast(View<std::byte>(static_cast<std::byte*>(bytes), {static_cast<Index>(size)}), root);
  }
  void reduce_on_device(const Values& values, int ordinal) override {
    connect_first();
    if constexpr (cuda::built)
      check(nccl_.all_reduce(values.data, values.data, static_cast<std::size_t>(values.count),
                             values.element == Element::single ? single_type : double_type,
                             values.how == Reduction::sum ? sum : maximum, connection_.handle,
                             cuda::stream(ordinal)));
  }
  void broadcast_on_device(void* bytes, std::size_t size, int root, int ordinal) override {
    connect_first();
    if constexpr (cuda::built)
      check(nccl_.broadcast(bytes, bytes, size, bytes_type, root, connection_.handle, cuda::stream(ordinal)));
  }

 private:
  struct Connection {
    Handle handle = nullptr;
    std::string why_not;
  };

  Connection connect(const UniqueId& id, int ordinal) const {
    Connection made;
    try {
      if constexpr (cuda::built) cuda::stream(ordinal);  // makes it current
      const int result = nccl_.init_rank(&made.handle, size(), id, rank());
      if (result != success)
        made.why_not = fmt::format(
            "NCCL does not connect device {} with those of other ranks ({}): each rank "
            "needs a GPU of its own",
            ordinal, nccl_.error_string(result));
      else
        try_out(made.handle, ordinal);
    } catch (const std::exception& error) {
      made.why_not = error.what();
    }
    return made;
  }
  // Two devices are connected when an array is first sent between them: connecting is started early with this
  // array, without waiting.
  void try_out(Handle handle, int ordinal) const {
    if constexpr (cuda::built) {
      constexpr std::size_t values = 1024;
      void* const array = cuda::allocate(values * sizeof(float), ordinal);
      if (array == nullptr) throw resource_error("not enough memory on CUDA device {} to test NCCL", ordinal);
      cuda::set_bytes(array, 0, values * sizeof(float), ordinal);
      const int handed =
          nccl_.broadcast(array, array, values * sizeof(float), bytes_type, 0, handle, cuda::stream(ordinal));
      const int reduced =
          nccl_.all_reduce(array, array, values, single_type, sum, handle, cuda::stream(ordinal));
      cuda::release(array, ordinal);
      check(handed);
      check(reduced);
    }
  }

  void connect_first() {
    if (connected_.valid()) connection_ = connected_.get();
    if (connection_.handle == nullptr) throw resource_error("{}", connection_.why_not);
  }
  void check(int result) const {
    if (result != success) throw resource_error("NCCL failed: {}", nccl_.error_string(result));
  }

  std::shared_ptr<Communicator> host_;
  Nccl nccl_;
  Connection connection_;
  std::future<Connection> connected_;  // until it is connected
};

}  // namespace

void set_nccl_environment(bool deterministic) {
  ::setenv("NCCL_NVLS_ENABLE", "0", 0);
  // NCCL chooses its algorithm, and with it the order of sums, by measurements unless it is set.
  if (deterministic) ::setenv("NCCL_ALGO", "Ring", 0);
}

std::shared_ptr<Communicator> with_nccl(std::shared_ptr<Communicator> host, const Device& device) {
  std::string reason = "there is no CUDA device";
  Nccl nccl;
  if (device.on_gpu()) {
    reason.clear();
    nccl = load(reason);
  }
  require_all(*host, reason);
  UniqueId id{};
  if (host->rank() == 0 && nccl.get_unique_id(&id) != success) reason = "it does not start";
  require_all(*host, reason);
  host->broadcast(View<char>(id.bytes), 0);
  return std::make_shared<NcclCommunicator>(std::move(host), nccl, id, device);
}

}  // namespace larmor
