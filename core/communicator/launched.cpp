#include <larmor/core/beside_library.hpp>
#include <larmor/core/communicator/launched.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/symbol.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

namespace larmor {
namespace {

struct Mpi {
  int (*start)(int*, int*, int*, int*) = nullptr;
  int (*reduce)(void*, long long, int, int) = nullptr;
  int (*broadcast)(void*, long long, int) = nullptr;
  void (*abort)(int) = nullptr;
  void (*finish)() = nullptr;
};

// Null: it does not exist. Throws Error (resource) if others can write to it.
void* open_library() {
  const std::string file = find_beside_library("liblarmor-mpi.so");
  if (file.empty()) return nullptr;
  require_trusted(file);
  // Open MPI's own plugins look up its symbols in the global scope.
  return ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(int rank, int size, const Mpi& mpi) : Communicator(rank, size), mpi_(mpi) {}
  ~MpiCommunicator() override { mpi_.finish(); }
  std::string name() const override { return "MPI"; }
  void abort(int status, const std::string&) noexcept override { mpi_.abort(status); }

 protected:
  void reduce_on_host(const Values& values) override {
    check(mpi_.reduce(values.data, values.count, values.element == Element::full,
                      values.how == Reduction::maximum));
  }
  void broadcast_on_host(void* bytes, std::size_t size, int root) override {
    check(mpi_.broadcast(bytes, static_cast<long long>(size), root));
  }

 private:
  static void check(int error) {
    if (error != 0) throw Error(rank_lost, fmt::format("MPI failed with error {}", error));
  }

  Mpi mpi_;
};

// Nothing if there is no MPI, or not that of the launcher.
std::optional<LaunchedRanks> ranks_of_mpi() {
  Mpi mpi;
  void* library = open_library();
  const bool found =
      library != nullptr && find_symbols(library, "larmor_mpi_start", mpi.start, "larmor_mpi_reduce",
                                         mpi.reduce, "larmor_mpi_broadcast", mpi.broadcast,
                                         "larmor_mpi_abort", mpi.abort, "larmor_mpi_finish", mpi.finish);
  if (!found) return std::nullopt;
  int rank = 0, size = 1, local = 0, here = 1;
  if (const int error = mpi.start(&rank, &size, &local, &here))
    throw resource_error("MPI could not be initialised: error {}", error);
  if (size == 1) return std::nullopt;
  return LaunchedRanks{std::make_shared<MpiCommunicator>(rank, size, mpi), local, here};
}

}  // namespace

std::string launcher_of_this_process() {
  const auto several = [](const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && std::atoi(text) > 1;
  };
  if (several("OMPI_COMM_WORLD_SIZE")) return "mpirun";
  if (several("PMI_SIZE")) return "mpiexec";
  // SLURM_NTASKS alone is also set in a batch script, which is one process.
  if (several("SLURM_STEP_NUM_TASKS")) return "srun";
  const char* const all[] = {"RANK", "MASTER_ADDR", "MASTER_PORT"};
  const bool told = std::all_of(std::begin(all), std::end(all),
                                [](const char* name) { return std::getenv(name) != nullptr; });
  return told && several("WORLD_SIZE") ? "torchrun" : "";
}

LaunchedRanks ranks_of_launcher(const std::string& launcher) {
  if (auto ranks = ranks_of_mpi()) return *ranks;
  throw resource_error(
      "{} has started several of these processes, but without MPI they cannot find each other, and each "
      "would write the same files: start one process, or use the mpirun of the MPI that larmor-mpi was built "
      "with",
      launcher);
}

}  // namespace larmor
