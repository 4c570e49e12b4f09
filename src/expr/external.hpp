// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of the user (daedal/function.hpp) by their numbers, which are the second operand of
/// Op::external. The derivative of one has the next number.

#include <array>
#include <cmath>
#include <string>

namespace daedal {

/// NaN for a derivative that is not there.
double call_external(double x, double number);
/// Its values at equidistant points: what can be known of its course in between. NaN where it has
/// none or throws, because nothing says that the solution comes there.
std::array<double, 65> sample_external(double low, double high, double number);
/// How many derivatives of it are there.
int further_derivatives(double number);
/// With a prime for each derivative.
std::string external_name(double number);

/// What tables of operations on numbers call.
namespace functions_of_numbers {
using namespace std;  // NOLINT(google-build-using-namespace)
inline double external(double x, double number) {
  return call_external(x, number);
}
}  // namespace functions_of_numbers

}  // namespace daedal
