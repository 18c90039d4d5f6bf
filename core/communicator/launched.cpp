#include <larmor/core/communicator/launched.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/libraries/symbol.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace larmor {
namespace {

struct Mpi {
  int (*start)(int*, int*, int*, int*) = nullptr;
  int (*reduce)(void*, long long, int, int) = nullptr;
  int (*broadcast)(void*, long long, int) = nullptr;
  void (*abort)(int) = nullptr;
  void (*finish)() = nullptr;
};

// Beside the program, as it is built and as it is installed, or where the system looks.
void* open_library() {
  namespace fs = std::filesystem;
  std::error_code error;
  constexpr const char* name = "liblarmor-mpi.so";
  constexpr int most_levels = 4;
  fs::path folder = fs::canonical("/proc/self/exe", error).parent_path();
  for (int level = 0; level < most_levels; ++level, folder = folder.parent_path())
    // Open MPI's own parts look for its names among those of everybody.
    if (void* library = ::dlopen((folder / "libexec" / "larmor" / name).c_str(), RTLD_NOW | RTLD_GLOBAL))
      return library;
  return ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(int rank, int size, const Mpi& mpi) : Communicator(rank, size), mpi_(mpi) {}
  ~MpiCommunicator() override {
    release_staging();
    mpi_.finish();
  }
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

}  // namespace

LaunchedRanks ranks_of_launcher(const std::string& launcher) {
  Mpi mpi;
  void* library = open_library();
  const bool found =
      library != nullptr && find_symbols(library, "larmor_mpi_start", mpi.start, "larmor_mpi_reduce",
                                         mpi.reduce, "larmor_mpi_broadcast", mpi.broadcast,
                                         "larmor_mpi_abort", mpi.abort, "larmor_mpi_finish", mpi.finish);
  if (!found)
    throw resource_error(
        "{} has started several of these processes, but Larmor was built without MPI, so that each would "
        "write the same files: let it start one, which starts the others itself",
        launcher);
  int rank = 0, size = 1, local = 0, here = 1;
  if (const int error = mpi.start(&rank, &size, &local, &here))
    throw resource_error("MPI does not start: error {}", error);
  if (size == 1)
    throw resource_error(
        "{} has started several of these processes, but they do not find each other by the MPI that Larmor "
        "was built with: use the launcher of that one; Slurm has to be told which (mpi=pmix or mpi=pmi2)",
        launcher);
  return {std::make_shared<MpiCommunicator>(rank, size, mpi), local, here};
}

}  // namespace larmor
