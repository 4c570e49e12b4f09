// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Colours of what people read in a terminal. Documents, rows and files never have them.

#include <cstdio>
#include <string>
#include <string_view>

namespace daedal::app {

/// When to write colours; `automatic`: to terminals, unless NO_COLOR (no-color.org) is set or TERM
/// is "dumb".
enum class ColorMode { automatic, always, never };

/// For all that is printed from now on.
void set_color_mode(ColorMode mode);

enum class Style { strong, good, bad, doubtful, remark };

/// The text in a style, as far as `out` takes colours.
std::string styled(std::string_view text, Style style, std::FILE* out);

/// The name of a Status: good or bad.
std::string styled_status(std::string_view name, std::FILE* out);

/// A page of lines `label   text`: colours show what the labels mean, too.
void print_page(std::string_view page, std::FILE* out);

}  // namespace daedal::app
