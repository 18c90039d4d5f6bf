#pragma once

#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>

// Written by bench/fit_gpu_costs.py from times of H100s and H200s. Microseconds of the terms in
// cost_model.cpp.
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
constexpr PointCosts point_costs[] = {{Way::in_order, false, 1, false, 1, {4.6, 7.79, 13.9, 37.2, 1.42, 0}},
                                      {Way::in_order, false, 1, true, 1, {4.24, 9.4, 12.3, 34.4, 1.66, 0}},
                                      {Way::cells, true, 1, false, 1, {4.05, 4.94, 4.26, 1.87, 0.788, 119}},
                                      {Way::cells, true, 1, true, 1, {3.82, 10.1, 1.67, 4.7, 0.391, 64.6}},
                                      {Way::moments, true, 1, false, 1, {14, 13.5, 47.1, 0, 7.17, 0}},
                                      {Way::moments, true, 1, true, 1, {10.1, 10.5, 33.4, 11.1, 9.74, 0}},
                                      {Way::plane, false, 2, false, 1, {14.8, 4.57, 12.5, 4.89, 8.74, 1.73}},
                                      {Way::plane, true, 2, false, 1, {8.41, 0, 6.79, 3.13, 46.9, 5.19}},
                                      {Way::plane, true, 2, true, 1, {7.3, 19.5, 2.26, 10.5, 28.1, 3.32}},
                                      {Way::plane, true, 2, true, 2, {7.92, 28.6, 3.34, 5.39, 38.4, 3.01}},
                                      {Way::plane, true, 2, true, 4, {8.17, 56.2, 6.15, 5.9, 39.2, 13.1}},
                                      {Way::tiles, false, 1, false, 1, {2.32, 17.4, 299, 1.13, 19.7, 0.145}},
                                      {Way::tiles, false, 1, false, 4, {2.06, 48.1, 353, 0.59, 41, 2.46}},
                                      {Way::tiles, false, 1, true, 1, {3.02, 15.4, 155, 0.401, 17, 1.76}},
                                      {Way::tiles, false, 1, true, 2, {3.92, 3.32, 449, 0.39, 13.7, 1.1}},
                                      {Way::tiles, false, 1, true, 4, {4.26, 0, 719, 0.484, 2.4, 1.04}},
                                      {Way::tiles, false, 1, true, 8, {5.11, 0, 1.07e+03, 0.677, 0, 0.988}},
                                      {Way::tiles, false, 2, false, 1, {7.86, 41.3, 101, 7.84, 1.66, 0}},
                                      {Way::tiles, false, 2, false, 4, {7.28, 84.5, 215, 2.52, 2.8, 0.0104}},
                                      {Way::tiles, false, 2, true, 1, {4.92, 28.3, 60.1, 11.3, 8.29, 0}},
                                      {Way::tiles, false, 2, true, 2, {5.27, 29, 82.8, 5.76, 5.62, 0}},
                                      {Way::tiles, false, 2, true, 4, {4.94, 45.4, 103, 3.29, 8.42, 0}},
                                      {Way::tiles, false, 2, true, 8, {2.14, 63.3, 158, 1.34, 29.1, 0.14}},
                                      {Way::tiles, false, 3, false, 1, {12.7, 59, 57.4, 3.77, 1.29, 0}},
                                      {Way::tiles, false, 3, false, 4, {14.7, 0, 236, 7.98, 6.03, 0.586}},
                                      {Way::tiles, false, 3, true, 1, {9.8, 48.9, 33.6, 4.61, 3.05, 0}},
                                      {Way::tiles, false, 3, true, 2, {8.25, 40.2, 65.7, 4.78, 3.98, 0}},
                                      {Way::tiles, false, 3, true, 4, {9.9, 88.7, 106, 1.71, 3.94, 0}},
                                      {Way::tiles, false, 3, true, 8, {8.85, 91.3, 185, 1.79, 12.2, 0.359}},
                                      {Way::tiles, true, 1, false, 1, {8.32, 0, 63, 10.2, 23, 0}},
                                      {Way::tiles, true, 1, false, 4, {7.25, 0, 86.6, 2.57, 45.5, 1.16}},
                                      {Way::tiles, true, 1, true, 1, {9.19, 28.2, 15.2, 12.9, 15.3, 0}},
                                      {Way::tiles, true, 1, true, 2, {8.69, 50.5, 0, 7.03, 24.5, 0}},
                                      {Way::tiles, true, 1, true, 4, {8.44, 63.5, 0, 3.57, 16.9, 0.213}},
                                      {Way::tiles, true, 1, true, 8, {7.67, 80.3, 54.9, 2.71, 24.2, 0.0173}},
                                      {Way::tiles, true, 2, false, 1, {10.3, 0, 62, 1.89, 39.4, 0}},
                                      {Way::tiles, true, 2, false, 4, {13.1, 41.7, 88.1, 1.31, 31.7, 0}},
                                      {Way::tiles, true, 2, true, 1, {8.69, 32.6, 31.1, 3.72, 19.2, 0}},
                                      {Way::tiles, true, 2, true, 2, {11.8, 110, 17.7, 2.18, 21.4, 0}},
                                      {Way::tiles, true, 2, true, 4, {10.9, 69.4, 49.4, 3.56, 29.8, 0}},
                                      {Way::tiles, true, 2, true, 8, {11.6, 140, 63.5, 1.56, 48.6, 0}},
                                      {Way::tiles, true, 3, false, 1, {12.5, 0, 92.8, 0.695, 48.1, 0}},
                                      {Way::tiles, true, 3, false, 4, {12.7, 0, 90.5, 1.29, 60.7, 0}},
                                      {Way::tiles, true, 3, true, 1, {12.8, 51.8, 42.1, 1.14, 38.3, 0}},
                                      {Way::tiles, true, 3, true, 2, {11.4, 63.6, 45.7, 2.03, 46.7, 0}},
                                      {Way::tiles, true, 3, true, 4, {12.6, 39.8, 51.6, 2.36, 34.5, 0}},
                                      {Way::tiles, true, 3, true, 8, {11.2, 3.08, 83.2, 1.77, 56.3, 0.0439}}};

}  // namespace larmor::nufft::cuda
