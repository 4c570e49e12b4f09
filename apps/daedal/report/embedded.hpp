// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The parts of the page, files of this folder and the chart library, as the program holds them.

#include <string_view>

namespace daedal::app::embedded {

std::string_view page();
std::string_view style();
std::string_view script();
std::string_view charts();

}  // namespace daedal::app::embedded
