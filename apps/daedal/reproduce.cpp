// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "study.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;
using studies::Entry;
using studies::Study;
using Line = std::vector<std::string>;

struct ReproduceArguments {
  std::string paper;
  std::string format = "text";
  std::string report;
};

std::vector<const Study*> select(const std::string& name) {
  std::vector<const Study*> chosen;
  std::string known;
  for (const Study& study : studies::all_studies()) {
    if (name.empty() || study.name == name) chosen.push_back(&study);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", study.name);
  }
  if (chosen.empty()) {
    throw OptionError(ErrorCode::unknown_name,
                      fmt::format("There is no paper '{}' to reproduce; there are: {}.", name,
                                  known.empty() ? "none" : known));
  }
  return chosen;
}

/// The place of a name in a list, at whose end it is put if it is new.
std::size_t place_of(const std::string& name, Line& list) {
  const auto found = std::ranges::find(list, name);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(name);
  return list.size() - 1;
}

/// A table as the paper prints it: its rows and columns, in each cell our number and, in brackets,
/// the paper's.
struct PaperTable {
  std::string name{};
  Line columns{""};  ///< the first one has the names of the rows
  std::vector<Line> rows{};
  Line notes{};

  void add(const Entry& e) {
    const std::size_t column = place_of(e.column, columns);
    if (!put(e.row, column, e)) put(fmt::format("{}: {}", e.row, e.note), column, e);
    if (!e.note.empty()) (void)place_of(e.note, notes);
  }

 private:
  /// False where the cell has a figure already: of the same setting but for what the note says.
  bool put(const std::string& label, std::size_t column, const Entry& e) {
    const auto known = std::ranges::find(rows, label, [](const Line& row) { return row.front(); });
    Line& row = known == rows.end() ? rows.emplace_back(Line{label}) : *known;
    if (row.size() <= column) row.resize(column + 1);
    if (!row[column].empty()) return false;
    row[column] =
        fmt::format("{:.3g}{}", e.ours, e.paper ? fmt::format(" ({:.3g})", *e.paper) : "");
    return true;
  }
};

std::vector<PaperTable> tables_of(const std::vector<Entry>& entries) {
  std::vector<PaperTable> tables;
  for (const Entry& e : entries) {
    const auto known = std::ranges::find(tables, e.table, &PaperTable::name);
    PaperTable& table = known == tables.end() ? tables.emplace_back() : *known;
    table.name = e.table;
    table.add(e);
  }
  for (PaperTable& table : tables) {
    for (Line& row : table.rows) row.resize(table.columns.size());
  }
  return tables;
}

std::string escaped_for_latex(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
    if (c == '^') safe += "{}";
  }
  return safe;
}

void print_text(const PaperTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const Line& row : table.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  const auto print_line = [&](const Line& line) {
    std::string text = fmt::format("  {:<{}}", line[0], widths[0]);
    for (std::size_t k = 1; k < line.size(); ++k) {
      text += fmt::format("  {:>{}}", line[k], widths[k]);
    }
    fmt::print("{}\n", text);
  };
  fmt::print("\n{}\n", table.name);
  print_line(table.columns);
  for (const Line& row : table.rows) print_line(row);
  for (const std::string& note : table.notes) fmt::print("  {}\n", note);
}

void print_markdown(const PaperTable& table) {
  fmt::print("\n### {}\n\n| {} |\n|---|{}\n", table.name, fmt::join(table.columns, " | "),
             fmt::join(Line(table.columns.size() - 1, "--:|"), ""));
  for (const Line& row : table.rows) fmt::print("| {} |\n", fmt::join(row, " | "));
  for (const std::string& note : table.notes) fmt::print("\n{}\n", note);
}

void print_latex(const PaperTable& table) {
  const auto print_line = [](const Line& line) {
    Line safe;
    for (const std::string& cell : line) safe.push_back(escaped_for_latex(cell));
    fmt::print("  {} \\\\\n", fmt::join(safe, " & "));
  };
  fmt::print("\n\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{l{}}}\n  \\hline\n",
             escaped_for_latex(table.name), std::string(table.columns.size() - 1, 'r'));
  print_line(table.columns);
  fmt::print("  \\hline\n");
  for (const Line& row : table.rows) print_line(row);
  fmt::print("  \\hline\n\\end{{tabular}}\n");
  for (const std::string& note : table.notes) fmt::print("\\par {}\n", escaped_for_latex(note));
  fmt::print("\\end{{table}}\n");
}

void print_tables(const Study& study, const std::vector<Entry>& entries,
                  const std::string& format) {
  const bool is_latex = format == "latex";
  const std::string_view mark = is_latex ? "% " : format == "markdown" ? "## " : "";
  fmt::print("{}{}: ours, and the paper's in brackets\n", mark, study.paper);
  for (const PaperTable& table : tables_of(entries)) {
    if (is_latex) {
      print_latex(table);
    } else {
      format == "markdown" ? print_markdown(table) : print_text(table);
    }
  }
  fmt::print("\n");
}

void print_csv(const Study& study, const std::vector<Entry>& entries) {
  for (const Entry& e : entries) {
    fmt::print("{},{},{},{},{},{:.9g},{}\n", study.name, io::csv_field(e.table),
               io::csv_field(e.row), io::csv_field(e.column),
               e.paper ? fmt::format("{:.9g}", *e.paper) : "", e.ours, io::csv_field(e.note));
  }
}

/// What a report shows of a study: its tables, and both figures where there are two.
ordered_json page_of(const Study& study, const std::vector<Entry>& entries) {
  ordered_json tables = ordered_json::array(), both = ordered_json::array();
  for (const PaperTable& table : tables_of(entries)) {
    tables.push_back({{"name", table.name},
                      {"columns", table.columns},
                      {"rows", table.rows},
                      {"notes", table.notes}});
  }
  for (const Entry& e : entries) {
    if (e.paper) both.push_back({io::number(*e.paper), io::number(e.ours)});
  }
  return {{"paper", study.paper}, {"tables", std::move(tables)}, {"figures", std::move(both)}};
}

ordered_json to_json(const Entry& e) {
  ordered_json json{{"table", e.table},
                    {"row", e.row},
                    {"column", e.column},
                    {"paper", e.paper ? io::number(*e.paper) : ordered_json()},
                    {"ours", io::number(e.ours)}};
  if (!e.note.empty()) json["note"] = e.note;
  return json;
}

int reproduce(const ReproduceArguments& arguments, const Common& common) {
  const std::vector<const Study*> chosen = select(arguments.paper);
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) report.emplace(report_file(arguments.report, {}));
  ordered_json list = ordered_json::array(), papers = ordered_json::array();
  const bool is_csv = arguments.format == "csv" && !common.json;
  if (is_csv) fmt::print("study,table,row,column,paper,ours,note\n");
  for (const Study* study : chosen) {
    const std::vector<Entry> entries = study->run();
    for (const Entry& e : entries) list.push_back(to_json(e));
    papers.push_back(page_of(*study, entries));
    if (is_csv) {
      print_csv(*study, entries);
    } else if (!common.json) {
      print_tables(*study, entries, arguments.format);
    }
  }
  if (common.json) fmt::print("{}\n", list.dump(2));
  if (report) {
    report->write([&](std::ostream& out) {
      write_report(out, "Papers reproduced", {{"kind", "reproduce"}, {"papers", papers}});
    });
  }
  return 0;
}

}  // namespace

Command add_reproduce(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command = app.add_subcommand("reproduce", "The papers' tables, ours beside theirs");
  command->add_option("paper", arguments->paper, "The paper [all]");
  command->add_option("--format", arguments->format, "Of the tables: text, csv, markdown or latex")
      ->check(CLI::IsMember({"text", "csv", "markdown", "latex"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--report", arguments->report,
                      "Write the tables and our figures over the papers', one HTML file");
  command->add_flag("--json", common.json, "Print a JSON list of table, row, column, paper, ours");
  return [arguments, &common] { return reproduce(*arguments, common); };
}

}  // namespace daedal::app
