// SPDX-License-Identifier: BSD-3-Clause
#include "io/embedded.hpp"

// The assembler puts a file into the program as it is; the compiler never reads it.
#define DAEDAL_EMBED(name, path)                                                \
  __asm__(                                                                      \
      ".pushsection .rodata\n"                                                  \
      ".balign 16\n"                                                            \
      "daedal_embedded_" #name                                                  \
      ":\n"                                                                     \
      ".incbin \"" path                                                         \
      "\"\n"                                                                    \
      "daedal_embedded_" #name                                                  \
      "_end:\n"                                                                 \
      ".popsection\n");                                                         \
  extern "C" const char name##_begin[] __asm__("daedal_embedded_" #name);       \
  extern "C" const char name##_end[] __asm__("daedal_embedded_" #name "_end");  \
  namespace daedal::app::embedded {                                             \
  std::string_view name() {                                                     \
    return {name##_begin, static_cast<std::size_t>(name##_end - name##_begin)}; \
  }                                                                             \
  }

DAEDAL_EMBED(page, DAEDAL_REPORT_FOLDER "/page.html")
DAEDAL_EMBED(style, DAEDAL_REPORT_FOLDER "/page.css")
DAEDAL_EMBED(script, DAEDAL_REPORT_FOLDER "/page.js")
DAEDAL_EMBED(charts, DAEDAL_CHART_LIBRARY)
DAEDAL_EMBED(pendulum, DAEDAL_EXAMPLES "/limited_pendulum.mo")
DAEDAL_EMBED(linkage, DAEDAL_EXAMPLES "/linkage.mo")
DAEDAL_EMBED(mechanism, DAEDAL_EXAMPLES "/four_bar.mo")
DAEDAL_EMBED(circuit, DAEDAL_EXAMPLES "/rlc.mo")
DAEDAL_EMBED(ball, DAEDAL_EXAMPLES "/bouncing_ball.mo")
DAEDAL_EMBED(path, DAEDAL_EXAMPLES "/prescribed_path.mo")
