// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Numbers in messages.

#include <string>

namespace daedal {

/// Six significant digits, as short as they can be written: "0.1", "-9.81", "1e-08".
std::string number_text(double value);

}  // namespace daedal
