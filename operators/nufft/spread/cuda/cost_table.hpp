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

constexpr double pass_costs[] = {3.97, 1.43, 1.05, 5.69, 10.8, 4.2};
constexpr PointCosts point_costs[] = {{Way::in_order, false, 1, false, 1, {4.48, 11.5, 9.48, 27.9, 1.39, 0}},
                                      {Way::in_order, false, 1, true, 1, {4.83, 5.42, 7.28, 38.5, 1.03, 0}},
                                      {Way::cells, false, 1, false, 1, {3.71, 29.1, 2.23, 4.01, 0, 69}},
                                      {Way::cells, false, 1, true, 1, {2.75, 17.1, 1.01, 6.46, 1.29, 48.5}},
                                      {Way::cells, true, 1, false, 1, {4.11, 19.4, 3.65, 2.17, 0.0782, 112}},
                                      {Way::cells, true, 1, true, 1, {2.92, 12.2, 1.65, 5.51, 0.808, 53}},
                                      {Way::moments, true, 1, false, 1, {13.8, 14, 51.6, 0, 6.24, 0}},
                                      {Way::moments, true, 1, true, 1, {12, 8.88, 42.9, 17.1, 5.02, 0}},
                                      {Way::bins, true, 1, false, 1, {5.29, 23.7, 50.6, 2.29, 1.06, 7.86}},
                                      {Way::bins, true, 1, true, 1, {4.51, 10.5, 25.6, 2.42, 1.12, 10.8}},
                                      {Way::plane, false, 2, false, 1, {12.4, 4.46, 12.1, 5.3, 15, 1.61}},
                                      {Way::plane, true, 2, false, 1, {8.99, 0, 7.06, 3.05, 22.2, 12.9}},
                                      {Way::plane, true, 2, true, 1, {8.04, 22.8, 2.52, 5.92, 21.8, 3.93}},
                                      {Way::plane, true, 2, true, 2, {8.72, 36.3, 4.35, 3.91, 26.9, 2.85}},
                                      {Way::plane, true, 2, true, 4, {9.69, 67.9, 6.75, 4.93, 10.7, 0}},
                                      {Way::tiles, false, 1, false, 1, {3.17, 4.11, 374, 0.554, 15.3, 0}},
                                      {Way::tiles, false, 1, false, 4, {1.4, 41.2, 504, 0.773, 43, 0}},
                                      {Way::tiles, false, 1, true, 1, {3.48, 13.1, 139, 0.613, 15.6, 0.997}},
                                      {Way::tiles, false, 1, true, 2, {4.72, 18.1, 45.7, 1.36, 0.598, 0.558}},
                                      {Way::tiles, false, 1, true, 4, {4.21, 17.7, 314, 1.85, 0, 0.0492}},
                                      {Way::tiles, false, 1, true, 8, {3.86, 39.4, 143, 1.04, 9.74, 0.218}},
                                      {Way::tiles, false, 2, false, 1, {10.8, 32.3, 111, 8.11, 0.0768, 0}},
                                      {Way::tiles, false, 2, false, 4, {7.31, 101, 204, 2.55, 2.72, 0}},
                                      {Way::tiles, false, 2, true, 1, {5.17, 25.7, 68.2, 10.8, 7.55, 0}},
                                      {Way::tiles, false, 2, true, 2, {6.05, 25, 111, 4.88, 0.856, 0}},
                                      {Way::tiles, false, 2, true, 4, {5.06, 55.8, 81.9, 3.09, 4.49, 0}},
                                      {Way::tiles, false, 2, true, 8, {0, 160, 0, 1.17, 30.4, 0}},
                                      {Way::tiles, false, 3, false, 1, {13.2, 58.5, 64.1, 0.167, 0.33, 0}},
                                      {Way::tiles, false, 3, false, 4, {12.5, 0, 222, 6.6, 6.09, 1.14}},
                                      {Way::tiles, false, 3, true, 1, {13.8, 45.9, 33.8, 5.25, 1.81, 0}},
                                      {Way::tiles, false, 3, true, 2, {10.2, 31.1, 73.8, 5.47, 2.57, 0.16}},
                                      {Way::tiles, false, 3, true, 4, {7.97, 82.1, 89.3, 3.78, 4.7, 0.103}},
                                      {Way::tiles, false, 3, true, 8, {10, 69.4, 196, 2.39, 11.3, 0.179}},
                                      {Way::tiles, true, 1, false, 1, {7.97, 0, 63.7, 8, 22.2, 0}},
                                      {Way::tiles, true, 1, false, 4, {7.09, 0, 96.5, 2.31, 32.1, 0}},
                                      {Way::tiles, true, 1, true, 1, {9.36, 21.6, 21, 13.4, 11.4, 0}},
                                      {Way::tiles, true, 1, true, 2, {9.35, 24.7, 24.2, 7.01, 14.1, 0}},
                                      {Way::tiles, true, 1, true, 4, {9.13, 0, 48.7, 3.89, 16.9, 0.437}},
                                      {Way::tiles, true, 1, true, 8, {7.89, 0, 79.3, 2.56, 35.9, 0.143}},
                                      {Way::tiles, true, 2, false, 1, {9.1, 0, 63, 1.99, 59.5, 0}},
                                      {Way::tiles, true, 2, false, 4, {15.3, 35.2, 91.4, 1.26, 22.7, 0}},
                                      {Way::tiles, true, 2, true, 1, {9.51, 43.4, 27.8, 3.66, 13.8, 0}},
                                      {Way::tiles, true, 2, true, 2, {13.2, 85.6, 30.7, 2.23, 13.4, 0}},
                                      {Way::tiles, true, 2, true, 4, {12.3, 120, 25.6, 3.88, 12.6, 0}},
                                      {Way::tiles, true, 2, true, 8, {11.4, 165, 44, 1.31, 47.7, 0.283}},
                                      {Way::tiles, true, 3, false, 1, {13.3, 0, 96.6, 0.696, 21.1, 0}},
                                      {Way::tiles, true, 3, false, 4, {11.9, 0, 90.2, 1.54, 38.4, 0}},
                                      {Way::tiles, true, 3, true, 1, {11.6, 15.6, 50.9, 4.5, 30.2, 0}},
                                      {Way::tiles, true, 3, true, 2, {10.7, 0, 55, 3.39, 28.9, 0}},
                                      {Way::tiles, true, 3, true, 4, {12.1, 16, 51, 3.17, 34.7, 0}},
                                      {Way::tiles, true, 3, true, 8, {11.7, 0, 82.5, 1.86, 47.1, 0}}};

}  // namespace larmor::nufft::cuda
