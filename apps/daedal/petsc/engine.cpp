// SPDX-License-Identifier: BSD-3-Clause
#include "petsc/engine.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <daedal/error.hpp>
#include <exception>
#include <filesystem>
#include <sstream>

namespace daedal::app {

std::unique_ptr<PetscEngine> open_petsc(const std::string& options) {
  std::vector<std::string> words;
  std::istringstream in(options);
  for (std::string word; in >> word;) words.push_back(word);
  if (!words.empty() && !words.front().starts_with('-')) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("--petsc-options has '{}', where an option of PETSc should "
                                  "stand, such as '-pc_type hypre'.",
                                  words.front()));
  }
  const auto refuse = [](const std::string& reason) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The engine 'petsc' is not at hand: {} Leave --engine out, or "
                                  "build the plug-in (DAEDAL_WITH_PETSC, docs/clusters.md).",
                                  reason));
  };
  const auto path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / DAEDAL_PETSC_PLUGIN;
  if (!std::filesystem::exists(path)) refuse("this program was built without it.");
  // MPI and PETSc load parts of themselves, which look for their names.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* open = library == nullptr ? nullptr : dlsym(library, "daedal_open_petsc");
  if (open == nullptr) refuse(fmt::format("it cannot be loaded: {}.", dlerror()));
  return std::unique_ptr<PetscEngine>(reinterpret_cast<decltype(&daedal_open_petsc)>(open)(words));
}

PetscRun solve_by_petsc(PetscEngine& engine, const Model& model, const TimeSpan& span,
                        const SolveOptions& options,
                        const std::function<void(const Solution&)>& follow) {
  if (span.stop < span.start) {
    throw OptionError(ErrorCode::invalid_option, "The engine 'petsc' runs forward in time only.");
  }
  const auto rows = share_rows(model, span, options);
  Solution solution;
  solution.model_name = model.name();
  solution.rtol = *options.rtol;
  solution.atol = options.atol > 0.0 ? options.atol : solution.rtol / 100.0;
  solution.names = rows->names();
  std::exception_ptr error;
  PetscOutcome outcome =
      engine.run({.rows = *rows, .span = span, .options = options, .take = [&](double t, auto row) {
                    try {
                      solution.times.push_back(t);
                      solution.values.insert(solution.values.end(), row.begin(), row.end());
                      follow(solution);
                    } catch (...) {
                      error = std::current_exception();
                    }
                    return error == nullptr;
                  }});
  if (error) std::rethrow_exception(error);
  if (!outcome.refusal.empty()) {
    throw OptionError(ErrorCode::invalid_option, outcome.refusal);
  }
  solution.status = outcome.status;
  solution.message = is_success(outcome.status)
                         ? fmt::format("The run reached t = {:.12g}.", span.stop)
                         : outcome.message;
  solution.notices = std::move(outcome.notices);
  solution.notices.emplace_back(
      "Steps, errors and linear systems are PETSc's: what the embedded engine looks for within "
      "steps and checks afterwards was not looked for.");
  solution.warnings = std::move(outcome.warnings);
  solution.method = {"auto", std::string(rows->method())};
  solution.integrator = {"petsc", "petsc " + outcome.integrator};
  solution.statistics = outcome.statistics;
  return {std::move(solution), std::move(outcome.ranks)};
}

}  // namespace daedal::app
