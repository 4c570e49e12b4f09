// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoints.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <daedal/error.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace daedal::app {

namespace {

/// "60", "60s", "5min" or "2h" in seconds.
double seconds_of(const std::string& text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const double factor = unit.empty() || unit == "s" ? 1.0
                        : unit == "min"             ? 60.0
                        : unit == "h"               ? 3600.0
                                                    : 0.0;
  if (error != std::errc{} || factor == 0.0 || !std::isfinite(value) || !(value > 0.0)) {
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("'{}' of --checkpoint-every is not a duration: write 60s, 5min or 2h.", text));
  }
  return value * factor;
}

/// Throws OptionError if a checkpoint would replace a file that is not a checkpoint.
void refuse_foreign(const std::string& path) {
  if (!std::filesystem::is_regular_file(path) || std::filesystem::is_empty(path)) return;
  constexpr std::string_view begin = "daedal checkpoint ";  // see Simulation::save()
  std::string first(begin.size(), ' ');
  std::ifstream(path, std::ios::binary).read(first.data(), std::ssize(first));
  if (first == begin) return;
  throw OptionError(ErrorCode::file_not_writable,
                    fmt::format("'{}' exists and is not a checkpoint: --checkpoint would replace "
                                "it.",
                                path));
}

}  // namespace

void declare_checkpoint_options(CLI::App& command, CheckpointArguments& arguments) {
  CLI::Option* file =
      command.add_option("--checkpoint", arguments.file, "Save the run to this file on its way");
  command
      .add_option("--checkpoint-every", arguments.every, "How often by the wall clock: 60s, 5min")
      ->needs(file)
      ->capture_default_str();
  command.add_option("--resume", arguments.resume,
                     "Go on from a checkpoint; where it is the file of --checkpoint and not there "
                     "yet, from the start");
}

Checkpoints::Checkpoints(const CheckpointArguments& arguments, const std::string& model)
    : arguments_(arguments), every_(seconds_of(arguments.every)), next_(Clock::now()) {
  if (!arguments_.file.empty()) {
    file_.emplace(arguments_.file, model);
    refuse_foreign(arguments_.file);
  }
  next_ += std::chrono::duration_cast<Clock::duration>(every_);
  const bool may_be_missing = arguments_.resume == arguments_.file;
  if (may_be_missing && !std::filesystem::exists(arguments_.resume)) arguments_.resume.clear();
}

Simulation Checkpoints::start(const Problem& problem, const TimeSpan& span,
                              std::vector<std::string>& notices) const {
  if (arguments_.resume.empty()) return problem.start(span);
  std::ifstream file(arguments_.resume, std::ios::binary);
  if (!file || std::filesystem::is_directory(arguments_.resume)) {
    throw OptionError(ErrorCode::file_not_readable,
                      fmt::format("The checkpoint '{}' cannot be read.", arguments_.resume));
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Simulation simulation = problem.restore(bytes);
  if (simulation.span().start != span.start || simulation.span().stop != span.stop) {
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("The checkpoint '{}' is of a run from {:.12g} to {:.12g}, not from {:.12g} to "
                    "{:.12g}.",
                    arguments_.resume, simulation.span().start, simulation.span().stop, span.start,
                    span.stop));
  }
  notices.push_back(
      fmt::format("The run goes on from a checkpoint at t = {:.6g}.", simulation.time()));
  return simulation;
}

bool Checkpoints::save(Simulation& simulation) {
  std::string bytes;
  try {
    bytes = simulation.save();
    file_->write([&](std::ostream& out) { out << bytes; });
  } catch (const Error& error) {
    failure_ = error.what();
    return false;
  }
  ++n_saved_;
  failure_.clear();
  return true;
}

void Checkpoints::look_at(Simulation& simulation) {
  const bool is_at_end = simulation.time() == simulation.span().stop;
  if (!file_ || is_at_end || Clock::now() < next_) return;
  // Later it may be possible again.
  if (!save(simulation) && n_saved_ > 0) failure_.clear();
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(every_);
}

void Checkpoints::conclude(Simulation& simulation, std::vector<std::string>& notices) {
  const Status status = simulation.solution().status;
  const bool is_stopped = status == Status::cancelled || status == Status::time_limit_reached ||
                          status == Status::max_steps_reached;
  if (!file_ || !is_stopped || !save(simulation)) return;
  notices.push_back(
      fmt::format("The run was saved at t = {:.6g}, and goes on from there with "
                  "--resume {}.",
                  simulation.time(), arguments_.file));
}

}  // namespace daedal::app
