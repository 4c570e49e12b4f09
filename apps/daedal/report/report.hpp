// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Reports for people: one HTML file that opens without a network, with plots, an animation where
/// positions are known, and what was decided and why.

#include <daedal/analyze.hpp>
#include <daedal/bvp.hpp>
#include <daedal/compare.hpp>
#include <daedal/ensemble.hpp>
#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/solution.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "io/json.hpp"

namespace daedal::app {

/// A run as a report shows it.
struct RunReport {
  const Model& model;
  const Solution& solution;
  Overrides parameters;                ///< of the run, by name
  std::vector<double> step_times{};    ///< the start, then the ends of the accepted steps
  std::vector<int> step_orders{};      ///< one for each step
  std::optional<Analysis> analysis{};  ///< shown as the model's structure
  std::vector<std::string> globs{};    ///< columns to show; all when empty
  std::string animation{};             ///< shapes by the user, "rod(0,0; x,y)"
  /// What the run is as JSON where it is more than a Solution.
  std::optional<nlohmann::ordered_json> document{};
};

/// The members of a sweep, statistics of their values, and its JSON document.
struct SweepReport {
  const EnsembleResult& result;
  const std::vector<VariableStatistics>& statistics;
  const nlohmann::ordered_json& document;
};

void write_report(std::ostream& out, const RunReport& report);
void write_report(std::ostream& out, const Model& model, const SweepReport& report);
/// From a document that the program has written: rows, or the JSON document of a command. Throws
/// OptionError for any other.
void write_report(std::ostream& out, const nlohmann::ordered_json& document,
                  const std::string& animation);
/// A page of one kind from what its script reads.
void write_report(std::ostream& out, const std::string& title, const nlohmann::ordered_json& data);
void write_report(std::ostream& out, const Model& model, const Analysis& analysis);
void write_report(std::ostream& out, const Model& model, const Comparison& comparison);

/// The shapes that --animate gives, or those of the model's annotation where it gives none. Throws
/// OptionError for shapes that cannot be read, and for names that the model does not have, before a
/// run is spent on them.
std::string animation_of(const std::string& given, const Model& model);

}  // namespace daedal::app
