// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Orders of convergence from measured errors: the slope of log(error) over log(h) by least
/// squares.

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace daedal::test {

/// The least-squares slope of log(y) over log(x).
inline double fit_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_u = 0.0;
  double mean_v = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_u += std::log(x[i]) / n;
    mean_v += std::log(y[i]) / n;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = std::log(x[i]) - mean_u;
    covariance += u * (std::log(y[i]) - mean_v);
    variance += u * u;
  }
  return covariance / variance;
}

/// The slope of error(h) over the given steps.
inline double fit_order(const std::vector<double>& steps,
                        const std::function<double(double)>& error) {
  std::vector<double> errors;
  errors.reserve(steps.size());
  for (const double h : steps) errors.push_back(error(h));
  return fit_slope(steps, errors);
}

}  // namespace daedal::test
