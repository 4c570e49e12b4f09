// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/petsc/run_options.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "plugins/petsc/objects.hpp"

namespace daedal::app {

namespace {

/// Those that nobody has given: nothing is wrong where they are not asked for.
std::vector<std::string>& defaults() {
  static std::vector<std::string> names;
  return names;
}

void set_default(const char* name, const char* value) {
  if (has_option(name)) return;
  must(PetscOptionsSetValue(nullptr, name, value));
  defaults().emplace_back(name);
}

/// Options that act when a run or the process ends.
bool acts_late(std::string_view name) {
  return name.find("view") != name.npos || name.starts_with("log") || name.starts_with("options") ||
         name.starts_with("malloc") || name.starts_with("memory");
}

}  // namespace

bool has_option(const char* name) {
  PetscBool is_set = PETSC_FALSE;
  must(PetscOptionsHasName(nullptr, nullptr, name, &is_set));
  return is_set != PETSC_FALSE;
}

std::string option(const char* name) {
  char text[256] = "";
  must(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof text, nullptr));
  return text;
}

void set_defaults() {
  set_default("-ts_type", "bdf");
  if (option("-ts_type") == "bdf") set_default("-ts_bdf_order", "4");
  set_default("-ts_adapt_wnormtype", "INFINITY");
  set_default("-snes_linesearch_type", "basic");
  if (has_option("-pc_type") || has_option("-ksp_type")) return;
  set_default("-pc_type", "lu");
  set_default("-ksp_type", "preonly");
  set_default("-pc_factor_mat_solver_type", MATSOLVERMUMPS);  // PETSc's own has no pivoting
}

void refuse_unused_options() {
  PetscInt n = 0;
  char** names = nullptr;
  char** values = nullptr;
  must(PetscOptionsLeftGet(nullptr, &n, &names, &values));
  std::string unused;
  for (PetscInt i = 0; i < n; ++i) {
    const std::string name = std::string("-") + names[i];
    const bool is_ours = std::ranges::find(defaults(), name) != defaults().end();
    if (is_ours || acts_late(names[i])) continue;
    unused += (unused.empty() ? "'" : ", '") + name + "'";
  }
  must(PetscOptionsLeftRestore(nullptr, &n, &names, &values));
  if (unused.empty()) return;
  throw Refusal("No part of PETSc that takes part in this run has asked for " + unused +
                ": it is misspelt, or belongs to another solver. '--petsc-options -help' lists "
                "those that there are.");
}

}  // namespace daedal::app
