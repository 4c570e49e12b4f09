// SPDX-License-Identifier: BSD-3-Clause
/// Any bytes at all must give a model or an error of the library: no crash, no hang, no other
/// exception.

#include <cstddef>
#include <cstdint>
#include <daedal/modelica.hpp>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    // Small limits: what is looked for is wrong behaviour, not the time that large models take.
    const daedal::Model model = daedal::parse_model(
        text, "fuzz", {.max_nesting = 200, .max_elements = 10'000, .max_operations = 100'000});
    (void)model.parameter_values();
  } catch (const daedal::Error&) {
    return 0;
  }
  return 0;
}
