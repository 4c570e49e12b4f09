// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A sweep in several processes, on one machine or many, which mpirun has started.

#include <daedal/ensemble.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sweep/transport.hpp"

namespace daedal::app {

/// What every process of a sweep prepares for itself.
struct SweepTask {
  const Ensemble& ensemble;
  EnsembleOptions options;
  /// What is kept of the values of a member.
  std::function<std::vector<double>(const std::vector<double>&)> select;
  /// The same text for processes that have the same members and the same results.
  std::string identity;
};

/// The processes of a sweep: ranks of mpirun, or this one alone. The first hands out members, takes
/// the results, and is the only one that reads the journal, writes and prints; all of them solve.
/// A rank that dies costs the runs that it had in hand, which others then run.
class Ranks {
 public:
  /// Joins the other processes. Throws OptionError where there are some and they cannot be reached.
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// 1 where the others cannot be reached.
  [[nodiscard]] int size() const { return transport_ ? transport_->size() : 1; }
  [[nodiscard]] bool is_first() const { return is_first_; }
  /// For the first rank: as Ensemble::run, with the selected values.
  void run(const SweepTask& task, const std::function<void(MemberResult)>& take);
  /// For every other rank: solves what it is given until there is no more. Returns false if the
  /// first rank stopped answering before.
  [[nodiscard]] bool help(const SweepTask& task);
  /// For every other rank that cannot go on: the reason, which the first rank then reports.
  void leave(std::string reason) { reason_ = std::move(reason); }
  /// What the first rank has to say about the others, in full sentences.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  class Distribution;
  /// Lets the others go and waits until they do.
  void end();
  void hear_of(int rank, const nlohmann::ordered_json& message);
  [[nodiscard]] bool end_of_first();
  [[nodiscard]] bool end_of_other();

  bool is_first_ = true;
  std::unique_ptr<Transport> transport_;
  std::vector<std::string> notices_;
  std::set<int> seen_;
  std::set<int> left_;  ///< in good order
  std::set<int> lost_;
  std::string reason_;
  bool is_first_silent_ = false;
  bool has_heard_ = false;  ///< of the first
};

}  // namespace daedal::app
