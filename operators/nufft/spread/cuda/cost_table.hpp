#pragma once

#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>

// Microseconds of the terms in cost_model.cpp, fitted by bench/fit_gpu_costs.py to times of H100s and H200s
// (nufft_map; lines in the caller's order also bench_points).
namespace larmor::nufft::cuda {

struct PointCosts {
  Way way;
  bool spread;
  int dims;
  bool single;
  int lanes;
  double of[6];
};

constexpr double pass_costs[] = {3.88, 1.54, 1.06, 5.76, 10.9, 4.25};
constexpr PointCosts point_costs[] = {{Way::in_order, false, 1, false, 1, {6.17, 0.396, 17.5, 14.5, 0, 0}},
                                      {Way::in_order, false, 1, true, 1, {4.78, 0, 12.8, 19.8, 0, 0}},
                                      {Way::cells, true, 1, false, 1, {4.05, 4.94, 4.26, 1.87, 0.788, 119}},
                                      {Way::cells, true, 1, true, 1, {3.82, 10.1, 1.67, 4.7, 0.391, 64.6}},
                                      {Way::moments, true, 1, false, 1, {14, 13.5, 47.1, 0, 7.17, 0}},
                                      {Way::moments, true, 1, true, 1, {10.1, 10.5, 33.4, 11.1, 9.74, 0}},
                                      {Way::plane, false, 2, false, 1, {21.3, 3.41, 13.6, 4.02, 7.52, 1.51}},
                                      {Way::plane, true, 2, false, 1, {9.97, 0, 7.4, 3.32, 57.3, 5.68}},
                                      {Way::plane, true, 2, true, 1, {8.98, 27.5, 2.49, 7.91, 12.7, 4.66}},
                                      {Way::plane, true, 2, true, 2, {10.2, 51.3, 4.19, 5.88, 13.1, 2.49}},
                                      {Way::plane, true, 2, true, 4, {14.2, 64.2, 5.69, 6.42, 21.9, 18.9}},
                                      {Way::tiles, false, 1, false, 1, {4.06, 13.7, 330, 0.712, 4.48, 0.159}},
                                      {Way::tiles, false, 1, false, 4, {4.54, 78.2, 0, 11.6, 0, 1.36}},
                                      {Way::tiles, false, 1, true, 1, {4.07, 10.9, 81, 3.21, 0, 3.25}},
                                      {Way::tiles, false, 1, true, 2, {2.76, 22.7, 53.9, 5.1, 30.4, 0.286}},
                                      {Way::tiles, false, 1, true, 4, {4.26, 0, 719, 0.484, 2.4, 1.04}},
                                      {Way::tiles, false, 1, true, 8, {5.11, 0, 1.07e+03, 0.677, 0, 0.988}},
                                      {Way::tiles, false, 2, false, 1, {8.75, 27.5, 99.6, 5.58, 1.05, 0}},
                                      {Way::tiles, false, 2, false, 4, {14.2, 55.1, 230, 1.96, 0, 0}},
                                      {Way::tiles, false, 2, true, 1, {8.73, 18, 62.4, 14.7, 0, 0.0593}},
                                      {Way::tiles, false, 2, true, 2, {8.51, 24.1, 80.8, 6.24, 0, 0}},
                                      {Way::tiles, false, 2, true, 4, {7.85, 45.6, 93.3, 2.17, 5.29, 0}},
                                      {Way::tiles, false, 2, true, 8, {7.3, 60.2, 180, 1.59, 8.25, 0}},
                                      {Way::tiles, false, 3, false, 1, {16.1, 53.1, 56.7, 0.65, 1.22, 0}},
                                      {Way::tiles, false, 3, false, 4, {5.62, 34.1, 226, 2.42, 14.8, 0.0482}},
                                      {Way::tiles, false, 3, true, 1, {9.8, 32.6, 40.7, 1.69, 2.06, 0}},
                                      {Way::tiles, false, 3, true, 2, {8.47, 33.5, 72.9, 0.433, 3.42, 0}},
                                      {Way::tiles, false, 3, true, 4, {8.72, 33, 108, 1.63, 6.09, 0}},
                                      {Way::tiles, false, 3, true, 8, {4.03, 55.9, 210, 0.286, 25.7, 0}},
                                      {Way::tiles, true, 1, false, 1, {8.32, 0, 63, 10.2, 23, 0}},
                                      {Way::tiles, true, 1, false, 4, {7.25, 0, 86.6, 2.57, 45.5, 1.16}},
                                      {Way::tiles, true, 1, true, 1, {9.19, 28.2, 15.2, 12.9, 15.3, 0}},
                                      {Way::tiles, true, 1, true, 2, {8.69, 50.5, 0, 7.03, 24.5, 0}},
                                      {Way::tiles, true, 1, true, 4, {8.44, 63.5, 0, 3.57, 16.9, 0.213}},
                                      {Way::tiles, true, 1, true, 8, {7.67, 80.3, 54.9, 2.71, 24.2, 0.0173}},
                                      {Way::tiles, true, 2, false, 1, {10.3, 0, 69.2, 1.55, 43.4, 0}},
                                      {Way::tiles, true, 2, false, 4, {11.5, 37.9, 86.9, 1.47, 55.5, 0}},
                                      {Way::tiles, true, 2, true, 1, {9.46, 20.9, 43.6, 3.24, 27.7, 0}},
                                      {Way::tiles, true, 2, true, 2, {12.4, 52.2, 51.3, 1.75, 39.6, 0}},
                                      {Way::tiles, true, 2, true, 4, {13.3, 28.8, 60.1, 2.36, 37.6, 0}},
                                      {Way::tiles, true, 2, true, 8, {17.9, 60.7, 71, 1.76, 46, 0}},
                                      {Way::tiles, true, 3, false, 1, {15.9, 0, 92.4, 1.51, 41.4, 0}},
                                      {Way::tiles, true, 3, false, 4, {13.7, 0, 88, 0.623, 56.1, 0}},
                                      {Way::tiles, true, 3, true, 1, {14.5, 40.3, 48.6, 2.58, 10.7, 0}},
                                      {Way::tiles, true, 3, true, 2, {13.9, 23.6, 57.3, 1.84, 25.5, 0}},
                                      {Way::tiles, true, 3, true, 4, {15.3, 27.6, 54.4, 2.03, 16.3, 0}},
                                      {Way::tiles, true, 3, true, 8, {14.3, 33.3, 85.2, 1.16, 50.2, 0}}};

}  // namespace larmor::nufft::cuda
