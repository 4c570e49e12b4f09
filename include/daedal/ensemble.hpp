// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Many runs of one prepared problem, in threads and in lanes of their vectors:
///
///     Members members = grid({{"length", {1.0, 2.0}}, {"mass", {0.5, 1.0, 1.5}}});
///     members = product(members, random_members({{"g", "normal(9.81, 0.01)"}}, 1000, 42));
///     Ensemble ensemble(prepare(model), {0.0, 10.0}, members);
///     EnsembleResult result = ensemble.solve();
///     for (const VariableStatistics& s : statistics(result)) std::printf("%g\n",
///     s.quantile(0.95));
///
/// A run that fails is a result like any other. What comes out does not depend on the number of
/// threads, nor on the engine as long as the method is the same one (LaneReport), to the last bit:
/// every member has its own numbers before the first run begins.

#include <atomic>
#include <cstdint>
#include <daedal/options.hpp>
#include <daedal/problem.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

namespace solve_detail {
struct RunContext;
}

/// What the runs of an ensemble differ in: a row of values for each.
struct DAEDAL_EXPORT Members {
  std::vector<std::string> parameters{};    ///< names of the first columns
  std::vector<std::string> start_values{};  ///< names of the columns after them, variables
  std::vector<double> values{};             ///< row-major
  /// Without columns there is one member, which is as the model is.
  std::size_t count = 1;

  [[nodiscard]] std::size_t n_columns() const { return parameters.size() + start_values.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t member) const;
  [[nodiscard]] RunValues run_values(std::size_t member) const;
};

/// A name with the values that it takes.
struct MemberAxis {
  std::string name{};
  std::vector<double> values{};
  bool is_start_value = false;
};

/// Every combination, the last name changing fastest.
DAEDAL_EXPORT Members grid(std::span<const MemberAxis> axes);

/// A name with its distribution: "normal(mean, deviation)", "uniform(a, b)",
/// "lognormal(mean, deviation)" of the logarithm, "loguniform(a, b)", "triangular(a, mode, b)".
struct RandomAxis {
  std::string name{};
  std::string distribution{};
  bool is_start_value = false;
};

/// `n` independent draws. A draw depends on the seed, the number of the member and the name alone:
/// neither more members nor more names change it. Throws OptionError for what is no distribution.
DAEDAL_EXPORT Members random_members(std::span<const RandomAxis> axes, std::size_t n,
                                     std::uint64_t seed);

/// Every member of `a` with every member of `b`, those of `b` changing fastest. Throws OptionError
/// where both change one name.
DAEDAL_EXPORT Members product(const Members& a, const Members& b);

/// What one member came to.
struct MemberResult {
  std::size_t member = 0;
  bool is_success = false;
  std::string reason{};   ///< the name of its status, or the code of an error: "unknown-name"
  std::string message{};  ///< a full sentence
  double seconds = 0.0;   ///< of the wall clock; in lanes its share of them
  bool in_lanes = false;
  std::vector<double> values{};  ///< times × variables, row-major; NaN where the run did not get
};

/// What advances the members in each thread.
enum class EnsembleEngine {
  automatic,  ///< lanes where they pay
  threads,    ///< one run after the other
  /// Eight runs of an explicit integrator at a time, each with its own step. Members with events,
  /// and all of which something has to be told, are run again by themselves. The method "auto"
  /// takes no Taylor series, which have no lanes.
  lanes,
};
/// What asking for lanes comes to: Ensemble::lane_report().
struct LaneReport {
  bool has_lanes = false;
  bool leaves_out_series = false;  ///< which "auto" would take by itself
  std::string message{};           ///< of what is not as it was asked for, in sentences
};
/// The engine called "auto", "threads" or "lanes". Throws OptionError for any other name.
DAEDAL_EXPORT EnsembleEngine ensemble_engine(const std::string& name);

struct EnsembleOptions {
  SolveOptions run{};  ///< of every run
  /// Where the solutions are asked for, in the direction of the run; empty: at its end.
  std::vector<double> times{};
  int workers = 0;  ///< threads; 0: as many as there are processors
  EnsembleEngine engine = EnsembleEngine::automatic;
  const std::atomic<bool>* cancel = nullptr;
  /// Members that are left out, because their results are known already.
  std::function<bool(std::size_t member)> is_done{};
};

/// The results of all members, in their order.
struct EnsembleResult {
  Members members{};
  std::vector<std::string> names{};  ///< of the variables
  std::vector<double> times{};
  std::vector<MemberResult> results{};  ///< those that were not run have the reason "cancelled"

  [[nodiscard]] double value(std::size_t member, std::size_t time, std::size_t variable) const {
    return results[member].values[time * names.size() + variable];
  }
};

class DAEDAL_EXPORT Ensemble {
 public:
  /// Throws ModelError for names that the model does not have or that cannot be changed, and
  /// OptionError for an invalid table.
  Ensemble(Problem problem, const TimeSpan& span, Members members);

  [[nodiscard]] const Members& members() const { return members_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  [[nodiscard]] EnsembleResult solve(const EnsembleOptions& options = {}) const;
  /// Whether the first member goes in lanes if they are asked for, and what that changes.
  [[nodiscard]] LaneReport lane_report(const EnsembleOptions& options = {}) const;
  /// Calls `take` with each result as it comes, in any order but never twice at the same time: what
  /// is kept of them is up to the caller. An exception of `take` ends the runs and is passed on.
  void run(const EnsembleOptions& options, const std::function<void(MemberResult)>& take) const;
  /// One member, in the thread that calls.
  [[nodiscard]] MemberResult solve_member(std::size_t member,
                                          const EnsembleOptions& options = {}) const;
  /// Members until there are no more, in the thread that calls, for those who distribute them
  /// themselves. `next` gives one; it waits for one only where it is told that it may, and gives
  /// none then when all are done.
  using Next = std::function<std::optional<std::size_t>(bool may_wait)>;
  void work(const EnsembleOptions& options, const Next& next,
            const std::function<void(MemberResult)>& take) const;

 private:
  class LaneCrew;
  /// Where a run has ended, with its values there.
  struct End {
    double last = 0.0;
    std::span<const double> row;
  };
  [[nodiscard]] static SolveOptions member_options(const EnsembleOptions& options);
  [[nodiscard]] solve_detail::RunContext context_of(std::size_t member,
                                                    const EnsembleOptions& options) const;
  void read_values(const EnsembleOptions& options, const End& end,
                   const std::function<void(double t, std::span<double> row)>& at,
                   MemberResult& result) const;

  Problem problem_;
  TimeSpan span_;
  Members members_;
  std::vector<std::string> names_;
};

/// The statistics of one variable at one time over the members whose runs succeeded.
struct DAEDAL_EXPORT VariableStatistics {
  std::string name{};
  double time = 0.0;
  double mean = 0.0;
  double deviation = 0.0;        ///< with n - 1 below the root; 0 of a single value
  std::vector<double> sorted{};  ///< the values

  /// Between the values by straight lines: quantile(0) is the least, quantile(1) the greatest. NaN
  /// where there is none.
  [[nodiscard]] double quantile(double p) const;
};

/// For every time and every variable, variables changing fastest.
DAEDAL_EXPORT std::vector<VariableStatistics> statistics(const EnsembleResult& result);

}  // namespace daedal
