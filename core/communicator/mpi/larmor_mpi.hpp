#pragma once

// The functions that Larmor needs of MPI, under names that are looked up when the library is loaded; this
// header includes no other header of Larmor. Functions return 0, or an error of MPI.
extern "C" {

/// Starts MPI. rank and size: of MPI_COMM_WORLD; the other two: among the ranks of this machine.
[[gnu::visibility("default")]] int larmor_mpi_start(int* rank, int* size, int* local_rank, int* local_size);
/// values = Σ over all ranks, or the maximum if `maximum` is not 0; doubles if `full` is not 0, otherwise
/// floats.
[[gnu::visibility("default")]] int larmor_mpi_reduce(void* values, long long count, int full, int maximum);
[[gnu::visibility("default")]] int larmor_mpi_broadcast(void* bytes, long long size, int root);
/// Ends all ranks with this exit status.
[[gnu::visibility("default")]] void larmor_mpi_abort(int status);
[[gnu::visibility("default")]] void larmor_mpi_finish(void);

}  // extern "C"
