#pragma once

// Marks functions that run on both devices. Included by CUDA sources: no other header of ours.

#ifdef __CUDACC__
#define LARMOR_HOST_DEVICE __host__ __device__
#else
#define LARMOR_HOST_DEVICE
#endif
