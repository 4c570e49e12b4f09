// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/prelude.hpp"

#include "modelica/library/text/text.hpp"

namespace daedal::modelica {

const std::string& prelude_text() {
  static const std::string all = [] {
    std::string text = conversions_text();
    for (const std::string_view part :
         {mathematics_text(), mechanics_text(), electronics_text(), fluid_text(),
          media_records_text(), ideal_gases_text(), dry_air_text(), moist_air_text(), r134a_text(),
          water_text()}) {
      text += part;
    }
    return text;
  }();
  return all;
}

}  // namespace daedal::modelica
