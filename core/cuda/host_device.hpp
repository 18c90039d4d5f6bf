#pragma once

// Marks functions for both devices. Included by CUDA sources, therefore includes no other header.

#ifdef __CUDACC__
#define LARMOR_HOST_DEVICE __host__ __device__
#else
#define LARMOR_HOST_DEVICE
#endif
