// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Files that the program holds: the parts of the page, the chart library, and starter models.

#include <string_view>

namespace daedal::app::embedded {

std::string_view page();
std::string_view style();
std::string_view script();
std::string_view charts();

// Starter models, from the folder of examples.
std::string_view pendulum();
std::string_view linkage();
std::string_view mechanism();
std::string_view circuit();
std::string_view ball();
std::string_view path();

}  // namespace daedal::app::embedded
