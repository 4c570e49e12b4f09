// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/ensemble.hpp>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <daedal/version.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include "color.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"
#include "model_source.hpp"
#include "progress_bar.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "run_options.hpp"
#include "sweep/journal.hpp"
#include "sweep/ranks.hpp"
#include "sweep/varied.hpp"

namespace daedal::app {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// The name of a quantile column and the share of values below it.
struct Quantile {
  const char* name;
  double share;
};
constexpr Quantile quantiles[] = {{"min", 0.0},  {"q05", 0.05}, {"q25", 0.25}, {"median", 0.5},
                                  {"q75", 0.75}, {"q95", 0.95}, {"max", 1.0}};
/// At most so many variables and failures are printed. The files have all of them.
constexpr std::size_t most_lines = 20;

struct SweepArguments {
  RunArguments run;
  VariedArguments varied;
  std::vector<std::string> variables;
  std::string folder;
  std::string report;
  int workers = 0;
  std::string engine = "auto";
  bool restart = false;
};

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::string hash_text(std::string_view text) {
  return fmt::format("{:016x}", hash_of(text));
}

/// Everything that the results of a member depend on beside its values: a journal with another
/// header is of another sweep.
ordered_json header_of(const SweepArguments& arguments, const ResolvedRun& run,
                       const Members& members, const std::vector<std::string>& names,
                       const std::vector<double>& times) {
  const SolveOptions& o = run.options;
  std::string inputs = arguments.run.inputs.interpolation;
  for (const std::string& text : arguments.run.inputs.texts) {
    inputs += '\n' + text + '\n';
    std::ifstream file(text, std::ios::binary);
    if (file) inputs.append(std::istreambuf_iterator<char>(file), {});
  }
  return {{"daedal", DAEDAL_VERSION},
          {"model", hash_text(model_text(arguments.run.model))},
          {"inputs", hash_text(inputs)},
          {"method", o.method.text()},
          {"integrator", o.integrator.text()},
          {"chart", arguments.run.chart},
          {"rtol", *o.rtol},
          {"atol", o.atol},
          {"steps", fmt::format("{:a} {:a} {:a} {} {:a}", o.fixed_step, o.initial_step, o.max_step,
                                o.max_steps, o.time_limit)},
          {"watch_singularities", o.watch_singularities},
          {"span", {run.span.start, run.span.stop}},
          {"times", hash_text(fmt::format("{}", fmt::join(times, " ")))},
          {"parameters", parse_overrides(arguments.run.parameters)},
          {"start_values", o.start_values},
          {"varied", members.parameters},
          {"varied_start_values", members.start_values},
          {"variables", names}};
}

/// With --interval: from the start in equal steps, and the end.
std::vector<double> output_times(const RunArguments& arguments, const TimeSpan& span) {
  if (!arguments.interval) return {};
  const double length = span.stop - span.start;
  const double n = std::abs(length) / *arguments.interval;
  if (!(*arguments.interval > 0.0) || !(n < 1e6)) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("--interval {:g} does not divide the run into at most a million "
                                  "parts.",
                                  *arguments.interval));
  }
  std::vector<double> times;
  const auto last = static_cast<std::int64_t>(std::floor(n + 1e-9));
  for (std::int64_t i = 0; i <= last; ++i) {
    times.push_back(span.start +
                    std::copysign(*arguments.interval, length) * static_cast<double>(i));
  }
  if (n - static_cast<double>(last) > 1e-9) {
    times.push_back(span.stop);
  } else {
    times.back() = span.stop;
  }
  return times;
}

/// The columns that are asked for.
class Columns {
 public:
  Columns(const std::vector<std::string>& names, const std::vector<std::string>& globs)
      : n_all_(names.size()), chosen_(select_columns(names, globs)) {
    for (const std::size_t column : chosen_) names_.push_back(names[column]);
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::vector<double> of(const std::vector<double>& values) const {
    std::vector<double> result;
    for (std::size_t begin = 0; begin < values.size(); begin += n_all_) {
      for (const std::size_t column : chosen_) result.push_back(values[begin + column]);
    }
    return result;
  }

 private:
  std::size_t n_all_;
  std::vector<std::size_t> chosen_;
  std::vector<std::string> names_;
};

/// What a sweep came to.
struct Outcome {
  EnsembleResult ensemble;
  std::size_t n_known = 0;  ///< results from an earlier call
  std::size_t n_done = 0;
  std::size_t n_failed = 0;
  std::size_t n_in_lanes = 0;  ///< of this call
  double seconds = 0.0;        ///< of this call
  double run_seconds = 0.0;    ///< of its runs, added up
};

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string varied_text(const Members& members, std::size_t member) {
  std::string text;
  const auto row = members.row(member);
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::string& name = k < members.parameters.size()
                                  ? members.parameters[k]
                                  : members.start_values[k - members.parameters.size()];
    text += fmt::format("{}{} = {:g}", k > 0 ? ", " : "", name, row[k]);
  }
  return text;
}

void write_varied_names(std::ostream& out, const Members& members) {
  out << "member";
  for (const auto* names : {&members.parameters, &members.start_values}) {
    for (const std::string& name : *names) {
      // A start value is not the variable at the end, which has a column of its own.
      out << ',' << io::csv_field(names == &members.parameters ? name : "start(" + name + ")");
    }
  }
}

/// A row for each member: what was varied, how it ended, and its values there.
void write_results(std::ostream& out, const EnsembleResult& result) {
  write_varied_names(out, result.members);
  out << ",status";
  for (const std::string& name : result.names) out << ',' << io::csv_field(name);
  out << "\n";
  const std::size_t last = result.times.size() - 1;
  for (const MemberResult& one : result.results) {
    out << one.member + 1;
    for (const double value : result.members.row(one.member)) out << ',' << number_text(value);
    out << ',' << one.reason;
    for (std::size_t v = 0; v < result.names.size(); ++v) {
      out << ',' << number_text(result.value(one.member, last, v));
    }
    out << "\n";
  }
}

void write_statistics(std::ostream& out, const std::vector<VariableStatistics>& list) {
  out << "time,variable,count,mean,deviation";
  for (const Quantile& quantile : quantiles) out << ',' << quantile.name;
  out << "\n";
  for (const VariableStatistics& one : list) {
    out << number_text(one.time) << ',' << io::csv_field(one.name) << ',' << one.sorted.size()
        << ',' << number_text(one.mean) << ',' << number_text(one.deviation);
    for (const Quantile& quantile : quantiles) {
      out << ',' << number_text(one.quantile(quantile.share));
    }
    out << "\n";
  }
}

void write_failures(std::ostream& out, const EnsembleResult& result) {
  write_varied_names(out, result.members);
  out << ",status,message\n";
  for (const MemberResult& one : result.results) {
    if (one.is_success) continue;
    out << one.member + 1;
    for (const double value : result.members.row(one.member)) out << ',' << number_text(value);
    out << ',' << one.reason << ',' << io::csv_field(one.message) << "\n";
  }
}

ordered_json to_json(const Outcome& outcome, const std::vector<VariableStatistics>& list,
                     const std::string& model_name) {
  const EnsembleResult& result = outcome.ensemble;
  ordered_json json = io::document();
  json["model"] = model_name;
  json["members"] = result.members.count;
  json["solved"] = outcome.n_done - outcome.n_failed;
  json["failed"] = outcome.n_failed;
  json["not_run"] = result.members.count - outcome.n_done;
  json["known"] = outcome.n_known;
  json["wall_seconds"] = outcome.seconds;
  json["run_seconds"] = outcome.run_seconds;
  json["in_lanes"] = outcome.n_in_lanes;
  json["failures"] = ordered_json::array();
  for (const MemberResult& one : result.results) {
    if (one.is_success || one.reason == to_string(Status::cancelled)) continue;
    json["failures"].push_back(
        {{"member", one.member + 1}, {"status", one.reason}, {"message", one.message}});
  }
  json["statistics"] = ordered_json::array();
  for (const VariableStatistics& one : list) {
    if (one.time != result.times.back()) continue;
    ordered_json entry{{"variable", one.name},
                       {"count", one.sorted.size()},
                       {"mean", io::number(one.mean)},
                       {"deviation", io::number(one.deviation)}};
    for (const Quantile& quantile : quantiles) {
      entry[quantile.name] = io::number(one.quantile(quantile.share));
    }
    json["statistics"].push_back(std::move(entry));
  }
  return json;
}

/// Prints statistics of the values that the solved members have at their ends.
void print_statistics(const EnsembleResult& result, const std::vector<VariableStatistics>& list) {
  std::size_t width = std::string_view("at the end").size();
  std::vector<const VariableStatistics*> shown;
  for (const VariableStatistics& one : list) {
    if (one.time == result.times.back()) shown.push_back(&one);
  }
  const std::size_t n_shown = std::min(shown.size(), most_lines);
  for (std::size_t i = 0; i < n_shown; ++i) width = std::max(width, shown[i]->name.size());
  fmt::print("\n{:<{}}  {:>12} {:>12} {:>12} {:>12} {:>12}\n", "at the end", width, "mean",
             "deviation", "5 %", "median", "95 %");
  for (std::size_t i = 0; i < n_shown; ++i) {
    const VariableStatistics& one = *shown[i];
    fmt::print("{:<{}}  {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}\n", one.name, width,
               one.mean, one.deviation, one.quantile(0.05), one.quantile(0.5), one.quantile(0.95));
  }
  if (shown.size() > n_shown) fmt::print("... and {} more\n", shown.size() - n_shown);
}

void print_text(const Outcome& outcome, const std::vector<VariableStatistics>& list,
                const std::string& model_name) {
  const EnsembleResult& result = outcome.ensemble;
  const std::size_t n_solved = outcome.n_done - outcome.n_failed;
  fmt::print("model        {}\n", model_name);
  fmt::print("members      {}: {} solved, {} failed", result.members.count, n_solved,
             outcome.n_failed);
  if (outcome.n_done < result.members.count) {
    fmt::print(", {} not run", result.members.count - outcome.n_done);
  }
  if (outcome.n_known > 0) fmt::print(" ({} of them known from before)", outcome.n_known);
  fmt::print(
      "\nwall clock   {:.4g} s; the runs together {:.4g} s{}\n", outcome.seconds,
      outcome.run_seconds,
      outcome.n_in_lanes > 0 ? fmt::format("; {} of them in lanes", outcome.n_in_lanes) : "");
  if (n_solved > 0) print_statistics(result, list);
  std::size_t n_failures = 0;
  std::string_view told;
  for (const MemberResult& one : result.results) {
    if (one.is_success || one.reason == to_string(Status::cancelled)) continue;
    if (++n_failures == 1) fmt::print("\nfailures\n");
    if (n_failures > most_lines) continue;
    fmt::print("  {:>6}  {}: {}: {}\n", one.member + 1, varied_text(result.members, one.member),
               one.reason, one.message == told ? "as before" : one.message);
    told = one.message;
  }
  if (n_failures > most_lines) fmt::print("  ... and {} more\n", n_failures - most_lines);
}

/// What every process of a sweep prepares for itself, from the same command.
struct Setup {
  std::vector<std::string> warnings;
  ResolvedRun run;
  Model model;
  Ensemble ensemble;
  Columns columns;
  EnsembleOptions options;
  ordered_json header;

  [[nodiscard]] SweepTask task() const {
    const std::vector<double>& values = ensemble.members().values;
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(double));
    return {.ensemble = ensemble,
            .options = options,
            .select = [this](const std::vector<double>& all) { return columns.of(all); },
            .identity = hash_text(header.dump()) + hash_text(bytes)};
  }
};

Setup set_up(SweepArguments arguments) {
  std::vector<MemberAxis> axes = take_axes(arguments.run.parameters, false);
  const std::vector<MemberAxis> starts = take_axes(arguments.run.starts, true);
  axes.insert(axes.end(), starts.begin(), starts.end());
  LoadedModel loaded = read_model(arguments.run.model, arguments.run.parameters);
  ResolvedRun run = resolve(arguments.run, loaded);
  const Model model = give_inputs(arguments.run.inputs, loaded.model, run.span, run.notices);
  const Members members = read_members(std::move(axes), arguments.varied, model);
  Ensemble ensemble(prepare(model, run.options), run.span, members);
  Columns columns(ensemble.names(), arguments.variables);
  EnsembleOptions options{.run = run.options,
                          .times = output_times(arguments.run, run.span),
                          .workers = arguments.workers,
                          .engine = ensemble_engine(arguments.engine),
                          .cancel = &catch_interrupts()};
  ordered_json header = header_of(arguments, run, members, columns.names(), options.times);
  if (options.engine == EnsembleEngine::lanes) {
    const LaneReport lanes = ensemble.lane_report(options);
    // Another method, and other bits.
    if (lanes.leaves_out_series) header["series"] = false;
    if (!lanes.message.empty()) run.notices.push_back(lanes.message);
  }
  return {std::move(loaded.warnings), std::move(run),     model,
          std::move(ensemble),        std::move(columns), std::move(options),
          std::move(header)};
}

/// Runs what is not in the journal yet.
Outcome run_members(const Setup& setup, Ranks& ranks, Journal* journal, ProgressBar& bar) {
  const auto began = std::chrono::steady_clock::now();
  SweepTask task = setup.task();
  const std::size_t n = task.ensemble.members().count;
  Outcome outcome;
  EnsembleResult& all = outcome.ensemble;
  all.members = task.ensemble.members();
  all.names = setup.columns.names();
  all.times = task.options.times.empty() ? std::vector{setup.run.span.stop} : task.options.times;
  const std::vector<double> nothing(all.times.size() * all.names.size(), std::nan(""));
  all.results.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    all.results.push_back({.member = i,
                           .reason = std::string(to_string(Status::cancelled)),
                           .message = "The sweep was ended before this run.",
                           .values = nothing});
  }
  std::vector<bool> is_done(n, false);
  const auto keep = [&](MemberResult result) {
    is_done[result.member] = true;
    ++outcome.n_done;
    if (!result.is_success) ++outcome.n_failed;
    const std::size_t member = result.member;
    all.results[member] = std::move(result);
  };
  if (journal != nullptr) {
    for (MemberResult& result : journal->finished()) {
      if (result.member >= n || is_done[result.member] || result.values.size() != nothing.size()) {
        continue;
      }
      keep(std::move(result));
    }
    outcome.n_known = outcome.n_done;
  }
  // Read by the threads: what was known before does not change any more.
  const std::vector<bool> was_known = is_done;
  task.options.is_done = [&](std::size_t member) { return bool(was_known[member]); };
  ranks.run(task, [&](MemberResult result) {
    if (result.reason == to_string(Status::cancelled)) return;
    outcome.run_seconds += result.seconds;
    if (result.in_lanes) ++outcome.n_in_lanes;
    if (journal != nullptr) journal->add(result);
    keep(std::move(result));
    if (bar.is_active()) {
      bar.update({.time = 0.0,
                  .fraction = static_cast<double>(outcome.n_done) / static_cast<double>(n),
                  .steps = static_cast<std::int64_t>(outcome.n_done)});
    }
  });
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

constexpr const char* tables[] = {"results.csv", "statistics.csv", "failures.csv"};

/// Tables in a folder without a journal are not from a sweep and must not be overwritten.
void refuse_foreign_tables(const fs::path& folder) {
  if (fs::exists(folder / "journal")) return;
  for (const char* name : tables) {
    if (!fs::exists(folder / name)) continue;
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("'{}' was not written by a sweep into this folder, and would be "
                                  "replaced: choose another folder.",
                                  (folder / name).string()));
  }
}

fs::path make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("The folder '{}' cannot be made{}.", path,
                                  error ? ": " + error.message() : ""));
  }
  return path;
}

/// Runs a rank other than the first. Only the first one prints.
int help(Ranks& ranks, const SweepArguments& arguments) {
  if (ranks.size() == 1) return 0;
  try {
    if (ranks.help(set_up(arguments).task())) return 0;
    fmt::print(stderr, "error: The first rank has fallen silent. The same command goes on.\n");
    return exit_run_failed;
  } catch (const std::exception& error) {
    ranks.leave(error.what());
    return 0;
  }
}

int sweep(const SweepArguments& arguments, const Common& common) {
  Ranks ranks;
  if (!ranks.is_first()) return help(ranks, arguments);
  if (ranks.size() > 1 && arguments.run.model == "-") {
    throw OptionError(ErrorCode::invalid_option,
                      "Several processes cannot read the model from standard input: name a file.");
  }
  const Setup setup = set_up(arguments);
  const Members& members = setup.ensemble.members();
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) report.emplace(report_file(arguments.report, arguments.run.model));
  std::unique_ptr<Journal> journal;
  fs::path folder;
  if (!arguments.folder.empty()) {
    folder = make_folder(arguments.folder);
    refuse_foreign_tables(folder);
    journal = std::make_unique<Journal>((folder / "journal").string(), setup.header, members,
                                        arguments.restart);
  }
  const Outcome outcome = [&] {
    ProgressBar bar(!common.json && !common.quiet);
    return run_members(setup, ranks, journal.get(), bar);
  }();
  const std::vector<VariableStatistics> list = statistics(outcome.ensemble);
  if (journal) {
    const auto write = [&](const char* name, const auto& content) {
      OutputFile((folder / name).string(), arguments.run.model).write(content);
    };
    write(tables[0], [&](std::ostream& out) { write_results(out, outcome.ensemble); });
    write(tables[1], [&](std::ostream& out) { write_statistics(out, list); });
    write(tables[2], [&](std::ostream& out) { write_failures(out, outcome.ensemble); });
  }
  std::vector<std::string> notices = setup.run.notices;
  notices.insert(notices.end(), ranks.notices().begin(), ranks.notices().end());
  const bool is_complete = outcome.n_done == members.count;
  ordered_json json = to_json(outcome, list, setup.model.name());
  json["warnings"] = setup.warnings;
  json["notices"] = notices;
  if (report) {
    report->write(
        [&](std::ostream& out) { write_report(out, setup.model, {outcome.ensemble, list, json}); });
  }
  if (common.json) {
    fmt::print("{}\n", json.dump(2));
  } else if (!common.quiet) {
    print_text(outcome, list, setup.model.name());
    for (const std::string& notice : notices) {
      print_page(fmt::format("note         {}\n", notice), stdout);
    }
    for (const std::string& warning : setup.warnings) {
      print_page(fmt::format("warning      {}\n", warning), stdout);
    }
    if (journal) {
      fmt::print("\n{}: results.csv, statistics.csv, failures.csv{}\n", folder.string(),
                 is_complete ? "" : "; the same command goes on where this one ended");
    }
  }
  if (!is_complete) return info(Status::cancelled).exit_code;
  // A run that fails is one of the results, as long as there are others.
  return outcome.n_failed == members.count ? exit_run_failed : 0;
}

}  // namespace

Command add_sweep(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command =
      app.add_subcommand("sweep", "Solve for many values of parameters and start values");
  declare_run_options(*command, arguments->run);
  command->get_option("--parameter")
      ->description("Parameter values: name=value, name=from:step:to, name=a,b,c; repeatable");
  command->get_option("--start")->description("Start values, in the same way; repeatable");
  command->get_option("--interval")
      ->description("Statistics at equidistant times [at the end alone]");
  command
      ->add_option("--random", arguments->varied.random,
                   "Parameter or start value with its distribution, \"m~normal(1,0.1)\": normal, "
                   "uniform, lognormal, loguniform, triangular; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--samples", arguments->varied.samples, "Draws of --random")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments->varied.seed, "Seed of --random")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--members", arguments->varied.file,
                      "CSV file with a column for each parameter or start value, a row per member");
  command
      ->add_option("-j,--jobs", arguments->workers,
                   "Threads [as many as processors; of a rank of mpirun: one]")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--engine", arguments->engine,
                   "auto, threads (one run after the other in each of them) or lanes (eight at a "
                   "time, where the integrator is explicit; auto takes one that is)")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->folder,
                      "Folder for results.csv, statistics.csv, failures.csv and the journal from "
                      "which the same command goes on");
  command->add_option("--report", arguments->report,
                      "Write a report with plots, one HTML file that needs no network");
  command->add_flag("--restart", arguments->restart, "Forget the runs in the journal");
  declare_variables_option(*command, arguments->variables,
                           "Variables of the results, as globs; repeatable [all]");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  return [arguments, &common] { return sweep(*arguments, common); };
}

}  // namespace daedal::app
