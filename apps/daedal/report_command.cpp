// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/error.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "commands.hpp"
#include "io/csv_table.hpp"
#include "report/report.hpp"
#include "result_output.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

struct ReportArguments {
  std::string input;
  std::string output;
  std::string animation;
};

/// Rows of comma-separated values as the document that `simulate -o run.json` writes.
ordered_json rows_document(std::istream& in, const std::filesystem::path& path) {
  const io::CsvTable table = io::read_csv(in, path.string());
  ordered_json document{{"model", path.stem().string()}, {"columns", ordered_json::object()}};
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    ordered_json& column = document["columns"][table.names[k]] = ordered_json::array();
    for (std::size_t row = 0; row < table.n_rows(); ++row) {
      column.push_back(io::number(table.values[row * table.names.size() + k]));
    }
  }
  return document;
}

ordered_json read_document(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw OptionError(ErrorCode::file_not_readable,
                      fmt::format("The file '{}' cannot be read.", path.string()));
  }
  if (path.extension() == ".csv") return rows_document(in, path);
  ordered_json document = ordered_json::parse(in, nullptr, false);
  if (document.is_object()) return document;
  throw OptionError(
      ErrorCode::file_not_readable,
      fmt::format("'{}' holds neither a JSON document nor, by its name, comma-separated values.",
                  path.string()));
}

}  // namespace

Command add_report(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report", "A report of rows or of a JSON document written before");
  command->add_option("file", arguments->input, "run.json, run.csv, or what --json has printed")
      ->required();
  command->add_option("-o,--output", arguments->output, "The page [the file's name, with .html]");
  command->add_option("--animate", arguments->animation,
                      "Shapes of the animation: \"rod(0,0; x,y) body(x,y) trace(x,y)\" "
                      "[recognised from names and distances]");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  return [arguments, &common] {
    const ordered_json document = read_document(arguments->input);
    std::string output = arguments->output;
    if (output.empty()) {
      output = std::filesystem::path(arguments->input).replace_extension(".html").string();
    }
    OutputFile page = report_file(output, arguments->input);
    page.write([&](std::ostream& out) { write_report(out, document, arguments->animation); });
    if (!common.quiet) fmt::print("Report: {}\n", output);
    return 0;
  };
}

}  // namespace daedal::app
