// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The options of PETSc: those of the user, and defaults for the others.

#include <string>

namespace daedal::app {

bool has_option(const char* name);
std::string option(const char* name);

/// Where nothing is said: backward differentiation formulas whose errors are controlled in every
/// variable, and a direct solver, which takes every model.
void set_defaults();

/// Throws Refusal where an option of the user was not asked for by any part of PETSc so far.
void refuse_unused_options();

}  // namespace daedal::app
