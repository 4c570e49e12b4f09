// SPDX-License-Identifier: BSD-3-Clause
#include "core/number_text.hpp"

#include <array>
#include <charconv>

namespace daedal {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::general, 6);
  return {buffer.data(), end};
}

}  // namespace daedal
