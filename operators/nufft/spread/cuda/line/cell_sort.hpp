#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/cuda/host_device.hpp>
#include <larmor/operators/nufft/spread/cuda/points/line_points.hpp>

#include <cstddef>
#include <cstdint>

namespace larmor::nufft::cuda {

/// Points in one dimension, sorted by first cell within each run. Sizes and tables, in device memory; passed
/// to kernels by value.
template <typename T>
struct CellPoints : LinePoints<T> {
  std::uint32_t* order;       ///< [samples]: sample index
  const std::int32_t* start;  ///< [runs · cells + 1]

  LARMOR_HOST_DEVICE std::int64_t all_cells() const { return std::int64_t{this->runs} * this->cells; }
};

/// Device memory of the tables, and temporary memory for computing them.
template <typename T>
std::size_t cell_table_bytes(const CellPoints<T>& sizes);
template <typename T>
std::size_t cell_sort_bytes(const CellPoints<T>& sizes);

/// Findings of a sort, in device memory.
struct CellReport {
  std::int64_t not_finite;  ///< the first sample that is not finite, or −1
  std::int64_t crowd;       ///< largest number of points in a cell and run
};

/// Sorts points, whose sizes and kernel are given, and sets their tables. coordinates [samples], periodic
/// with 1. Waits for the device if there are many cells.
template <typename T>
void sort_by_cell(CellPoints<T>& points, const double* coordinates, void* tables, CellReport* report,
                  void* scratch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
