// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/prelude.hpp"

namespace daedal::modelica {

const std::string& prelude_text() {
  static const std::string all = conversions_text().append(library_text());
  return all;
}

}  // namespace daedal::modelica
