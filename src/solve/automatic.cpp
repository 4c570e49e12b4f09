// SPDX-License-Identifier: BSD-3-Clause
#include "solve/automatic.hpp"

namespace daedal::solve_detail {

Choice choose_method(const formulation::Request&, const Options& options) {
  if (options.method != "auto") return {&formulation::find_method(options.method), {}};
  return {&formulation::find_method("direct"), {}};
}

}  // namespace daedal::solve_detail
