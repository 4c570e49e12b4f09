// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pencil.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/scaling.hpp"

namespace daedal::analysis {

namespace {

constexpr double support_fraction = 1e-3;

}  // namespace

ScaledPencil::ScaledPencil(const Pencil& pencil)
    : pattern_(pencil.pattern),
      transposed_(linalg::transpose(pencil.pattern)),
      a_(pencil.f_x.begin(), pencil.f_x.end()),
      e_(pencil.f_xp.begin(), pencil.f_xp.end()),
      leading_(a_.size()) {
  std::vector<bool> dynamic(to_size(pattern_.rows), false);
  for (std::size_t p = 0; p < e_.size(); ++p)
    if (e_[p] != 0.0) dynamic[to_size(pattern_.row[p])] = true;
  for (std::size_t p = 0; p < e_.size(); ++p)
    leading_[p] = dynamic[to_size(pattern_.row[p])] ? e_[p] : a_[p];
  scale();
}

void ScaledPencil::scale() {
  auto scales = linalg::equilibrate(pattern_, leading_);
  // Columns that the leading matrix lacks are scaled by A.
  for (Index j = 0; j < pattern_.columns; ++j) {
    double in_leading = 0.0;
    double in_a = 0.0;
    for (Index p = pattern_.column_start[to_size(j)]; p < pattern_.column_start[to_size(j) + 1];
         ++p) {
      const double row = scales.row[pattern_.row[to_size(p)]];
      in_leading = std::max(in_leading, std::abs(leading_[to_size(p)]));
      in_a = std::max(in_a, std::abs(a_[to_size(p)]) * row);
    }
    if (in_leading == 0.0) scales.column[j] = linalg::reciprocal_power_of_two(in_a);
  }
  for (auto* values : {&a_, &e_, &leading_}) linalg::apply(scales, pattern_, *values);
}

std::vector<double> ScaledPencil::transpose(std::span<const double> values) const {
  std::vector<double> result(values.size());
  for (std::size_t q = 0; q < result.size(); ++q)
    result[q] = values[to_size(transposed_.source[q])];
  return result;
}

std::vector<double> ScaledPencil::combined(double c) const {
  std::vector<double> values(a_.size());
  for (std::size_t p = 0; p < values.size(); ++p) values[p] = a_[p] + c * e_[p];
  return values;
}

double ScaledPencil::greatest_a() const {
  double greatest = 0.0;
  for (const double entry : a_) greatest = std::max(greatest, std::abs(entry));
  return greatest;
}

std::vector<Index> support(std::span<const double> v) {
  double greatest = 0.0;
  for (const double part : v) greatest = std::max(greatest, std::abs(part));
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (std::abs(v[i]) > support_fraction * greatest) numbers.push_back(to_index(i));
  return numbers;
}

}  // namespace daedal::analysis
