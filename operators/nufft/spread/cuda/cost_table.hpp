#pragma once

#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>

// Written by bench/fit_gpu_costs.py from times of an H200. Microseconds of the terms in cost_model.cpp.
namespace larmor::nufft::cuda {

struct PointCosts {
  Way way;
  bool spread;
  int dims;
  bool single;
  int lanes;
  double of[6];
};

constexpr double pass_costs[] = {3.85, 1.52, 1.08, 5.74, 11.1, 4.31};
constexpr PointCosts point_costs[] = {{Way::in_order, false, 1, false, 1, {4.33, 7.87, 12.8, 42.1, 1.54, 0}},
                                      {Way::in_order, false, 1, true, 1, {4.4, 5.81, 8.59, 44.6, 1.16, 0}},
                                      {Way::cells, true, 1, false, 1, {4.21, 6.64, 4.11, 1.74, 0.631, 123}},
                                      {Way::cells, true, 1, true, 1, {3.82, 6.65, 1.69, 5.48, 0.705, 60.8}},
                                      {Way::moments, true, 1, false, 1, {13.8, 13.6, 36.6, 0, 9.98, 0}},
                                      {Way::moments, true, 1, true, 1, {11, 8.86, 43, 0.977, 9.45, 0}},
                                      {Way::plane, false, 2, false, 1, {12.6, 6.78, 13.5, 4.64, 14.4, 1.32}},
                                      {Way::plane, true, 2, false, 1, {8.81, 0.0654, 6.7, 3.47, 36.1, 12.5}},
                                      {Way::plane, true, 2, true, 1, {6.81, 21.5, 2.26, 6.98, 25.2, 2.83}},
                                      {Way::plane, true, 2, true, 2, {7.14, 29.4, 3.34, 3.91, 39.1, 2.96}},
                                      {Way::plane, true, 2, true, 4, {8.28, 57.8, 6.15, 5.36, 37.3, 7.22}},
                                      {Way::tiles, false, 1, false, 1, {2.97, 5.89, 378, 0.962, 14.3, 0}},
                                      {Way::tiles, false, 1, false, 4, {1.53, 39, 503, 0.896, 42.8, 0}},
                                      {Way::tiles, false, 1, true, 1, {3.94, 12.2, 194, 0.631, 0, 0}},
                                      {Way::tiles, false, 1, true, 2, {4.25, 17.4, 159, 0.756, 2.46, 0}},
                                      {Way::tiles, false, 1, true, 4, {4.07, 20.4, 314, 1.78, 0, 0}},
                                      {Way::tiles, false, 1, true, 8, {4.04, 46.5, 153, 0.959, 6.03, 0.0699}},
                                      {Way::tiles, false, 2, false, 1, {9.58, 36.1, 105, 7.86, 1.16, 0}},
                                      {Way::tiles, false, 2, false, 4, {7.2, 84.7, 217, 2.54, 3.17, 0}},
                                      {Way::tiles, false, 2, true, 1, {4.64, 25.9, 66.5, 10.3, 9.14, 0}},
                                      {Way::tiles, false, 2, true, 2, {6.44, 25.5, 101, 4.9, 0.499, 0}},
                                      {Way::tiles, false, 2, true, 4, {4.99, 57.5, 80.3, 2.95, 5.37, 0}},
                                      {Way::tiles, false, 2, true, 8, {2.29, 129, 45.8, 1.22, 22.9, 0}},
                                      {Way::tiles, false, 3, false, 1, {12.8, 55.6, 60, 2.67, 0.861, 0}},
                                      {Way::tiles, false, 3, false, 4, {12.8, 0, 231, 7.9, 6.81, 0.59}},
                                      {Way::tiles, false, 3, true, 1, {10.8, 45.8, 34.2, 6.29, 1.9, 0}},
                                      {Way::tiles, false, 3, true, 2, {9.36, 37.7, 69.2, 5.49, 2.68, 0.0254}},
                                      {Way::tiles, false, 3, true, 4, {10.6, 86, 87.5, 3.11, 3.82, 0}},
                                      {Way::tiles, false, 3, true, 8, {11.2, 72.2, 187, 2.05, 10.7, 0.273}},
                                      {Way::tiles, true, 1, false, 1, {9.4, 0, 61.5, 9.24, 17.3, 0}},
                                      {Way::tiles, true, 1, false, 4, {7.01, 0, 99.1, 2.75, 31.2, 0}},
                                      {Way::tiles, true, 1, true, 1, {8.33, 18.8, 25, 15.3, 16.1, 0}},
                                      {Way::tiles, true, 1, true, 2, {8.73, 21.6, 27.4, 7.51, 16.5, 0}},
                                      {Way::tiles, true, 1, true, 4, {8.68, 0, 56.3, 3.94, 16.7, 0.212}},
                                      {Way::tiles, true, 1, true, 8, {7.48, 0, 97.6, 2.55, 34.1, 0}},
                                      {Way::tiles, true, 2, false, 1, {10.5, 0, 63.6, 2.01, 39.8, 0}},
                                      {Way::tiles, true, 2, false, 4, {13.2, 32.2, 91.8, 1.3, 29.6, 0}},
                                      {Way::tiles, true, 2, true, 1, {8.2, 40, 28.5, 3.52, 21.4, 0}},
                                      {Way::tiles, true, 2, true, 2, {10.9, 112, 15.1, 2.19, 27.9, 0}},
                                      {Way::tiles, true, 2, true, 4, {10.3, 73.2, 44.3, 2.9, 33.7, 0}},
                                      {Way::tiles, true, 2, true, 8, {10.7, 136, 63.4, 1.42, 52.2, 0.142}},
                                      {Way::tiles, true, 3, false, 1, {13.1, 0, 94.8, 0.692, 26.7, 0}},
                                      {Way::tiles, true, 3, false, 4, {12.8, 0, 89.3, 1.38, 42.8, 0}},
                                      {Way::tiles, true, 3, true, 1, {11.9, 8.75, 53.5, 4.93, 32.2, 0}},
                                      {Way::tiles, true, 3, true, 2, {10.9, 0, 58.1, 3.24, 34.5, 0}},
                                      {Way::tiles, true, 3, true, 4, {12.8, 7.62, 54.7, 3.03, 31.9, 0}},
                                      {Way::tiles, true, 3, true, 8, {11.4, 0, 84.7, 1.81, 53.2, 0}}};

}  // namespace larmor::nufft::cuda
