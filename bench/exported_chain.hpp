// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A hanging chain of links as an exporting tool writes it: absolute positions differentiated twice
/// (index 3), rotation matrices, connector equations, quoted names, attributes, and variables that
/// only a display needs. 29 equations a link, and three of Integers.

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>

namespace daedal::bench {

inline std::string exported_chain(std::int64_t n_links) {
  std::string text =
      "//! base 0.1.0\npackage 'Chain'\n  model 'Chain' \"A hanging chain\"\n"
      "    Real 'l0.frame_b.r[1]';\n    Real 'l0.frame_b.r[2]';\n";
  const auto out = std::back_inserter(text);
  for (std::int64_t i = 1; i <= n_links; ++i) {
    for (const char* vector : {"frame_a.r", "frame_b.r", "r_0", "shape.r", "shape.e"}) {
      for (int k = 1; k <= 2; ++k)
        fmt::format_to(out, "    Real 'l{}.{}[{}]'(unit = \"m\", quantity = \"Length\");\n", i,
                       vector, k);
    }
    for (const char* vector : {"frame_a.f", "frame_b.f", "v_0", "a_0", "g_0"}) {
      for (int k = 1; k <= 2; ++k)
        fmt::format_to(out, "    Real 'l{}.{}[{}]'(start = 0.0) \"resolved in world frame\";\n", i,
                       vector, k);
    }
    for (const char* entry : {"1,1", "1,2", "2,1", "2,2"})
      fmt::format_to(out, "    Real 'l{}.R.T[{}]' \"Transformation matrix\";\n", i, entry);
    fmt::format_to(out,
                   "    parameter Real 'l{0}.m'(min = 0.0, unit = \"kg\") = 1.0 \"Mass\";\n"
                   "    Real 'l{0}.phi'(start = {1}, fixed = true, unit = \"rad\");\n"
                   "    Real 'l{0}.w'(start = 0.0, fixed = true, unit = \"rad/s\");\n"
                   "    Real 'l{0}.z'(start = 0.0);\n    Real 'l{0}.energy'(unit = \"J\");\n"
                   "    Real 'l{0}.shape.length';\n    Integer 'l{0}.shape.color[1]';\n"
                   "    Integer 'l{0}.shape.color[2]';\n    Integer 'l{0}.shape.color[3]';\n",
                   i, -1.5 + 0.01 * static_cast<double>(i % 7));
  }
  text += "  equation\n    'l0.frame_b.r[1]' = 0.0;\n    'l0.frame_b.r[2]' = 0.0;\n";
  for (std::int64_t i = 1; i <= n_links; ++i) {
    for (int k = 1; k <= 2; ++k) {
      const std::string force = i == 1 ? "" : fmt::format("'l{}.frame_b.f[{}]' + ", i - 1, k);
      if (i > 1) fmt::format_to(out, "    {}'l{}.frame_a.f[{}]' = 0.0;\n", force, i, k);
      fmt::format_to(
          out,
          "    'l{0}.frame_a.r[{1}]' = 'l{2}.frame_b.r[{1}]';\n"
          "    'l{0}.frame_b.r[{1}]' = 'l{0}.frame_a.r[{1}]' + 0.1 * 'l{0}.R.T[1,{1}]';\n"
          "    'l{0}.r_0[{1}]' = 'l{0}.frame_a.r[{1}]' + 0.05 * 'l{0}.R.T[1,{1}]';\n"
          "    'l{0}.v_0[{1}]' = der('l{0}.r_0[{1}]');\n"
          "    'l{0}.a_0[{1}]' = der('l{0}.v_0[{1}]');\n"
          "    'l{0}.g_0[{1}]' = {3};\n"
          "    'l{0}.a_0[{1}]' - 'l{0}.g_0[{1}]' = 'l{0}.frame_a.f[{1}]' + "
          "'l{0}.frame_b.f[{1}]';\n"
          "    'l{0}.shape.r[{1}]' = 'l{0}.frame_a.r[{1}]';\n"
          "    'l{0}.shape.e[{1}]' = ('l{0}.frame_b.r[{1}]' - 'l{0}.frame_a.r[{1}]') / "
          "'l{0}.shape.length';\n",
          i, k, i - 1, k == 1 ? "0.0" : "-9.81");
      if (i == n_links) fmt::format_to(out, "    'l{}.frame_b.f[{}]' = 0.0;\n", i, k);
    }
    fmt::format_to(
        out,
        "    'l{0}.R.T[1,1]' = cos('l{0}.phi');\n    'l{0}.R.T[1,2]' = sin('l{0}.phi');\n"
        "    'l{0}.R.T[2,1]' = -sin('l{0}.phi');\n    'l{0}.R.T[2,2]' = cos('l{0}.phi');\n"
        "    'l{0}.w' = der('l{0}.phi');\n    'l{0}.z' = der('l{0}.w');\n"
        "    0.001 * 'l{0}.z' = 0.05 * ('l{0}.R.T[1,1]' * ('l{0}.frame_b.f[2]' - "
        "'l{0}.frame_a.f[2]') + 'l{0}.R.T[2,1]' * ('l{0}.frame_b.f[1]' - 'l{0}.frame_a.f[1]')) - "
        "0.01 * 'l{0}.w';\n"
        "    'l{0}.energy' = 0.5 * ('l{0}.v_0[1]' * 'l{0}.v_0[1]' + 'l{0}.v_0[2]' * "
        "'l{0}.v_0[2]') + 0.0005 * 'l{0}.w' ^ 2;\n"
        "    'l{0}.shape.length' = sqrt(('l{0}.frame_b.r[1]' - 'l{0}.frame_a.r[1]') ^ 2 + "
        "('l{0}.frame_b.r[2]' - 'l{0}.frame_a.r[2]') ^ 2);\n"
        "    'l{0}.shape.color[1]' = 155;\n    'l{0}.shape.color[2]' = 155;\n"
        "    'l{0}.shape.color[3]' = 155;\n",
        i);
  }
  text += "    annotation(experiment(StopTime = 1.0));\n  end 'Chain';\nend 'Chain';\n";
  return text;
}

}  // namespace daedal::bench
