#pragma once

// What Larmor asks of MPI, by names that are looked up in the library when it is loaded; it includes no other
// header of Larmor's. Functions return 0, or an error of MPI.
extern "C" {

/// Starts MPI. rank and size: of MPI_COMM_WORLD; the other two: among the ranks of this machine.
[[gnu::visibility("default")]] int larmor_mpi_start(int* rank, int* size, int* local_rank, int* local_size);
/// values = Σ, or the maximum where `maximum` is not 0, over all ranks; doubles where `full` is not 0,
/// otherwise floats.
[[gnu::visibility("default")]] int larmor_mpi_reduce(void* values, long long count, int full, int maximum);
[[gnu::visibility("default")]] int larmor_mpi_broadcast(void* bytes, long long size, int root);
/// Ends all ranks with this exit status.
[[gnu::visibility("default")]] void larmor_mpi_abort(int status);
[[gnu::visibility("default")]] void larmor_mpi_finish(void);

}  // extern "C"
