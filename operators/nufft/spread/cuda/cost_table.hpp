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

constexpr double pass_costs[] = {3.86, 2.56, 1.06, 5.75, 10.1, 4.23};
constexpr PointCosts point_costs[] = {
    {Way::in_order, false, 1, false, 1, {3.96, 12, 9.41, 27.6, 1.72, 0}},
    {Way::in_order, false, 1, true, 1, {4.24, 7.63, 0, 44.3, 0.974, 0}},
    {Way::cells, false, 1, false, 1, {3.75, 31.2, 2.43, 0, 0.17, 33.8}},
    {Way::cells, false, 1, true, 1, {3.44, 5.85, 1.43, 5.92, 0, 51.9}},
    {Way::cells, true, 1, false, 1, {3.99, 22.7, 3.4, 0, 0.755, 66.1}},
    {Way::cells, true, 1, true, 1, {2.84, 9.95, 1.76, 5.52, 0, 53.6}},
    {Way::moments, true, 1, false, 1, {12.8, 13.2, 57.9, 0, 6.34, 0}},
    {Way::moments, true, 1, true, 1, {8.87, 9.7, 33.1, 8.07, 10.3, 0}},
    {Way::bins, true, 1, false, 1, {4.92, 31.7, 41.6, 2.22, 0.801, 27.1}},
    {Way::bins, true, 1, true, 1, {4.62, 2.59, 26.8, 2.62, 0.784, 11.7}},
    {Way::plane, false, 2, false, 1, {12.1, 5.4, 12.5, 5.3, 14.2, 1.56}},
    {Way::plane, true, 2, false, 1, {7.48, 2.67, 4.72, 4.33, 83.2, 8.86}},
    {Way::plane, true, 2, true, 1, {6.69, 26.5, 3.53, 5.92, 20.8, 7.23}},
    {Way::plane, true, 2, true, 2, {7.66, 27.7, 18, 3.75, 19.7, 2.05}},
    {Way::plane, true, 2, true, 4, {6.5, 61.4, 9.61, 3.67, 56, 0.977}},
    {Way::tiles, false, 1, false, 1, {2.67, 2.17, 376, 3.91, 18.9, 0}},
    {Way::tiles, false, 1, false, 4, {2.12, 20.7, 666, 0.534, 36.2, 0.182}},
    {Way::tiles, false, 1, true, 1, {3.21, 14.4, 147, 0.783, 15.2, 0}},
    {Way::tiles, false, 1, true, 2, {3.83, 21.8, 112, 1.15, 3.37, 0}},
    {Way::tiles, false, 1, true, 4, {4.21, 29, 127, 0.881, 0, 0.685}},
    {Way::tiles, false, 1, true, 8, {3.67, 49.1, 153, 1.09, 9.58, 0}},
    {Way::tiles, false, 2, false, 1, {9.72, 35.7, 105, 7.92, 0.953, 0}},
    {Way::tiles, false, 2, false, 4, {7.63, 85, 214, 2.55, 2.55, 0}},
    {Way::tiles, false, 2, true, 1, {4.91, 25.4, 70.7, 9.37, 8.05, 0}},
    {Way::tiles, false, 2, true, 2, {5.68, 26.4, 101, 4.76, 1.85, 0}},
    {Way::tiles, false, 2, true, 4, {5.11, 45.1, 113, 3.05, 3.92, 0}},
    {Way::tiles, false, 2, true, 8, {0, 161, 0, 1.17, 28.4, 0}},
    {Way::tiles, false, 3, false, 1, {12.7, 58.4, 63.6, 0.101, 0.374, 0}},
    {Way::tiles, false, 3, false, 4, {11, 0, 227, 6.78, 6.88, 0.998}},
    {Way::tiles, false, 3, true, 1, {13.9, 46.5, 33.3, 5.53, 1.56, 0}},
    {Way::tiles, false, 3, true, 2, {9.31, 33.5, 73.7, 5.18, 2.98, 0.0822}},
    {Way::tiles, false, 3, true, 4, {8.18, 82.5, 86.3, 3.8, 4.36, 0.112}},
    {Way::tiles, false, 3, true, 8, {9.98, 69.4, 192, 2.52, 11, 0.216}},
    {Way::tiles, true, 1, false, 1, {7.98, 0, 66.1, 10.3, 20.3, 0}},
    {Way::tiles, true, 1, false, 4, {7.01, 0, 93.8, 2.51, 32.9, 0.0274}},
    {Way::tiles, true, 1, true, 1, {7.61, 4.32, 36.3, 17.6, 17.1, 0.0186}},
    {Way::tiles, true, 1, true, 2, {7.34, 41.9, 8.02, 7.54, 20.1, 0}},
    {Way::tiles, true, 1, true, 4, {9.1, 0, 38.1, 3.75, 16.2, 0.953}},
    {Way::tiles, true, 1, true, 8, {6.94, 0, 58.4, 2.7, 36.8, 0.442}},
    {Way::tiles, true, 2, false, 1, {9.05, 0, 65, 1.75, 60.3, 0}},
    {Way::tiles, true, 2, false, 4, {12, 29.1, 93.3, 1.27, 38.7, 0}},
    {Way::tiles, true, 2, true, 1, {7.49, 42.6, 28.1, 3.57, 30.8, 0}},
    {Way::tiles, true, 2, true, 2, {13, 100, 22.9, 2.04, 14, 0}},
    {Way::tiles, true, 2, true, 4, {11.2, 124, 22.7, 4.17, 18.1, 0}},
    {Way::tiles, true, 2, true, 8, {10.9, 76.6, 77, 1.25, 55.2, 0.554}},
    {Way::tiles, true, 3, false, 1, {12.3, 0, 96.9, 0.678, 27.7, 0}},
    {Way::tiles, true, 3, false, 4, {12.1, 0, 91.5, 1.37, 34.8, 0}},
    {Way::tiles, true, 3, true, 1, {11.8, 12.7, 51.6, 4.33, 29.1, 0}},
    {Way::tiles, true, 3, true, 2, {9.82, 0, 55.2, 3.4, 31.4, 0}},
    {Way::tiles, true, 3, true, 4, {10.4, 16.9, 51.1, 3.2, 39.3, 0}},
    {Way::tiles, true, 3, true, 8, {10.2, 0, 82.8, 1.89, 52.2, 0}}};

}  // namespace larmor::nufft::cuda
