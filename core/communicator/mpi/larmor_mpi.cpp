#include <larmor/core/communicator/mpi/larmor_mpi.hpp>

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <algorithm>

namespace {

// MPI counts elements in an int. Large messages are also split because buffers between machines are small.
constexpr long long piece = 1 << 24;

template <typename Part>
int in_pieces(long long count, const Part& part) {
  for (long long begin = 0; begin < count; begin += piece)
    if (const int error = part(begin, static_cast<int>(std::min(piece, count - begin)))) return error;
  return MPI_SUCCESS;
}

}  // namespace

int larmor_mpi_start(int* rank, int* size, int* local_rank, int* local_size) {
  int provided = 0;
  if (const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided)) return error;
  if (provided < MPI_THREAD_SERIALIZED) return MPI_ERR_OTHER;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  if (const int error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine))
    return error;
  MPI_Comm_rank(machine, local_rank);
  MPI_Comm_size(machine, local_size);
  return MPI_Comm_free(&machine);
}

int larmor_mpi_reduce(void* values, long long count, int full, int maximum) {
  const long long bytes = full != 0 ? sizeof(double) : sizeof(float);
  return in_pieces(count, [&](long long begin, int here) {
    return MPI_Allreduce(MPI_IN_PLACE, static_cast<char*>(values) + begin * bytes, here,
                         full != 0 ? MPI_DOUBLE : MPI_FLOAT, maximum != 0 ? MPI_MAX : MPI_SUM,
                         MPI_COMM_WORLD);
  });
}

int larmor_mpi_broadcast(void* bytes, long long size, int root) {
  return in_pieces(size, [&](long long begin, int here) {
    return MPI_Bcast(static_cast<char*>(bytes) + begin, here, MPI_BYTE, root, MPI_COMM_WORLD);
  });
}

void larmor_mpi_abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
}

void larmor_mpi_finish(void) {
  MPI_Finalize();
}
