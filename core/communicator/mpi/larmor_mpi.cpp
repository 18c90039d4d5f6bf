#include <larmor/core/communicator/mpi/larmor_mpi.hpp>

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <algorithm>
#include <vector>

namespace {

// MPI counts in int; large messages also go in pieces because buffers between machines are small.
constexpr long long piece = 1 << 24;
// What is added is in the processor's cache still.
constexpr int added_at_a_time = 1 << 17;
constexpr int tag = 0;

template <typename Part>
int in_pieces(long long count, const Part& part) {
  for (long long begin = 0; begin < count; begin += piece)
    if (const int error = part(begin, static_cast<int>(std::min(piece, count - begin)))) return error;
  return MPI_SUCCESS;
}

// The values of all ranks become one on rank 0, in pairs: MPI's own sums may be in another order for other
// sizes and machines.
template <typename Real>
int to_first(Real* values, int count, bool maximum) {
  const MPI_Datatype type = sizeof(Real) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // Kept, as operators allocate nothing when they are applied again; one call at a time comes here.
  static std::vector<Real> more;
  more.resize(std::max(more.size(), static_cast<std::size_t>(count)));
  for (int step = 1; step < size; step *= 2) {
    if (rank % (2 * step) != 0) return MPI_Send(values, count, type, rank - step, tag, MPI_COMM_WORLD);
    if (rank + step >= size) continue;
    if (const int error =
            MPI_Recv(more.data(), count, type, rank + step, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
      return error;
    std::transform(more.begin(), more.begin() + count, values, values,
                   [&](Real a, Real b) { return maximum ? std::max(a, b) : b + a; });
  }
  return MPI_SUCCESS;
}

template <typename Real>
int reduce(Real* values, long long count, bool maximum) {
  for (long long begin = 0; begin < count; begin += added_at_a_time) {
    const int here = static_cast<int>(std::min<long long>(added_at_a_time, count - begin));
    if (const int error = to_first(values + begin, here, maximum)) return error;
  }
  return larmor_mpi_broadcast(values, count * static_cast<long long>(sizeof(Real)), 0);
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
  return full != 0 ? reduce(static_cast<double*>(values), count, maximum != 0)
                   : reduce(static_cast<float*>(values), count, maximum != 0);
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
