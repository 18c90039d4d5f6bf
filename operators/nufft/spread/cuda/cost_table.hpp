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

constexpr double pass_costs[] = {3.81, 1.41, 1.04, 5.86, 10.6, 4.26};
constexpr PointCosts point_costs[] = {{Way::in_order, false, 1, false, 1, {4.26, 8.23, 12, 40.2, 1.45, 0}},
                                      {Way::in_order, false, 1, true, 1, {4.38, 5.55, 8.02, 41.1, 1.17, 0}},
                                      {Way::cells, false, 1, false, 1, {3.52, 15.5, 2.69, 3.62, 0.169, 86.7}},
                                      {Way::cells, false, 1, true, 1, {3.33, 15.9, 0.884, 6.89, 0.543, 51.5}},
                                      {Way::cells, true, 1, false, 1, {3.72, 13.4, 3.67, 2.58, 0.532, 117}},
                                      {Way::cells, true, 1, true, 1, {3.3, 12, 1.34, 6.28, 0.846, 58.1}},
                                      {Way::moments, true, 1, false, 1, {13.8, 13.6, 36.6, 0, 9.98, 0}},
                                      {Way::moments, true, 1, true, 1, {11, 8.86, 40.6, 9.83, 9.79, 0}},
                                      {Way::bins, true, 1, false, 1, {5.2, 4.74, 62.1, 3.25, 1.24, 8.05}},
                                      {Way::bins, true, 1, true, 1, {4.25, 8.21, 27.2, 2.54, 1.53, 11.4}},
                                      {Way::plane, false, 2, false, 1, {12.4, 0, 13.2, 4.84, 14.2, 1.89}},
                                      {Way::plane, true, 2, false, 1, {8.32, 0.487, 6.72, 3.28, 27.2, 19.7}},
                                      {Way::plane, true, 2, true, 1, {6.83, 22.6, 2.26, 6.07, 22.5, 2.34}},
                                      {Way::plane, true, 2, true, 2, {7.26, 31.4, 3.34, 3.93, 28.5, 3.01}},
                                      {Way::plane, true, 2, true, 4, {8.36, 58.6, 6.15, 5.01, 21.3, 12.7}},
                                      {Way::tiles, false, 1, false, 1, {2.97, 5.8, 378, 0.984, 13.9, 0}},
                                      {Way::tiles, false, 1, false, 4, {1.56, 39, 501, 0.958, 42.3, 0}},
                                      {Way::tiles, false, 1, true, 1, {3.94, 12.4, 188, 0.663, 0, 0}},
                                      {Way::tiles, false, 1, true, 2, {4.25, 17.9, 148, 0.788, 2.5, 0}},
                                      {Way::tiles, false, 1, true, 4, {4.07, 20.8, 306, 1.54, 0, 0}},
                                      {Way::tiles, false, 1, true, 8, {4.06, 45.5, 135, 0.709, 6.07, 0.0796}},
                                      {Way::tiles, false, 2, false, 1, {9.56, 35.7, 105, 8.14, 0.913, 0}},
                                      {Way::tiles, false, 2, false, 4, {7.2, 82.8, 217, 2.58, 3.03, 0}},
                                      {Way::tiles, false, 2, true, 1, {4.68, 26, 65.7, 10.3, 8.81, 0}},
                                      {Way::tiles, false, 2, true, 2, {6.47, 25.8, 97.8, 4.89, 0.348, 0}},
                                      {Way::tiles, false, 2, true, 4, {5.04, 53.7, 89, 2.99, 5.15, 0}},
                                      {Way::tiles, false, 2, true, 8, {2.55, 127, 47.7, 1.26, 21.3, 0}},
                                      {Way::tiles, false, 3, false, 1, {12.6, 55.7, 59.5, 3.05, 0.86, 0}},
                                      {Way::tiles, false, 3, false, 4, {11.3, 0, 232, 7.29, 6.8, 0.596}},
                                      {Way::tiles, false, 3, true, 1, {10.4, 46, 34, 6.19, 1.97, 0}},
                                      {Way::tiles, false, 3, true, 2, {9.28, 35.3, 67.4, 5.41, 2.61, 0.188}},
                                      {Way::tiles, false, 3, true, 4, {10.5, 77.2, 89.7, 3.19, 3.72, 0.0953}},
                                      {Way::tiles, false, 3, true, 8, {11.1, 59.4, 187, 2.11, 10.6, 0.385}},
                                      {Way::tiles, true, 1, false, 1, {8.89, 0, 60.7, 9.5, 19.5, 0}},
                                      {Way::tiles, true, 1, false, 4, {7, 0, 99, 2.8, 31.2, 0}},
                                      {Way::tiles, true, 1, true, 1, {8.08, 18.4, 24.7, 15.6, 17.4, 0}},
                                      {Way::tiles, true, 1, true, 2, {8.64, 18.2, 29.4, 7.69, 17.3, 0}},
                                      {Way::tiles, true, 1, true, 4, {8.67, 0, 52.2, 4.08, 17.3, 0.291}},
                                      {Way::tiles, true, 1, true, 8, {7.42, 0, 93.1, 2.61, 35.1, 0.0568}},
                                      {Way::tiles, true, 2, false, 1, {9.95, 0, 63.3, 2.06, 43.6, 0}},
                                      {Way::tiles, true, 2, false, 4, {12.8, 32, 91.8, 1.31, 31.1, 0}},
                                      {Way::tiles, true, 2, true, 1, {8.15, 39.9, 28.3, 3.73, 21.7, 0}},
                                      {Way::tiles, true, 2, true, 2, {10.9, 113, 14.5, 2.34, 28.1, 0}},
                                      {Way::tiles, true, 2, true, 4, {10.2, 75.2, 43.1, 3.02, 34.1, 0}},
                                      {Way::tiles, true, 2, true, 8, {10.7, 147, 62.4, 1.43, 51.7, 0}},
                                      {Way::tiles, true, 3, false, 1, {13.1, 0, 94.8, 0.697, 26.9, 0}},
                                      {Way::tiles, true, 3, false, 4, {12, 0, 89.2, 1.34, 46.6, 0}},
                                      {Way::tiles, true, 3, true, 1, {11.6, 8.81, 53.4, 4.54, 33.3, 0}},
                                      {Way::tiles, true, 3, true, 2, {10.5, 0, 57.4, 4.02, 36.9, 0}},
                                      {Way::tiles, true, 3, true, 4, {11.7, 2.5, 55, 3.14, 36.6, 0}},
                                      {Way::tiles, true, 3, true, 8, {10.8, 0, 84.4, 1.84, 54.7, 0}}};

}  // namespace larmor::nufft::cuda
