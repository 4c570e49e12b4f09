// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <daedal/version.hpp>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "color.hpp"
#include "commands.hpp"
#include "io/json.hpp"
#include "model_source.hpp"

namespace {

using daedal::Error;
using daedal::ErrorCode;
using daedal::app::Command;

/// One table maps what went wrong before a run to an exit code; Status has its own (status.hpp).
int exit_code(const Error& error) {
  if (dynamic_cast<const daedal::OptionError*>(&error) != nullptr) {
    return daedal::app::exit_misuse;
  }
  switch (error.code()) {
    case ErrorCode::file_not_readable:
    case ErrorCode::file_not_writable:
    case ErrorCode::invalid_option:
    case ErrorCode::unknown_method:
    case ErrorCode::illegal_combination:
      return daedal::app::exit_misuse;
    case ErrorCode::internal:
      return daedal::app::exit_run_failed;
    default:
      return daedal::app::exit_model_error;
  }
}

void print_error(std::string_view message, const daedal::SourcePosition& where = {}) {
  using daedal::app::styled;
  const std::string place = to_string(where);
  fmt::print(stderr, "{}{}{} {}\n{}",
             place.empty() ? "" : styled(place + ':', daedal::app::Style::strong, stderr),
             place.empty() ? "" : " ", styled("error:", daedal::app::Style::bad, stderr), message,
             daedal::app::excerpt(where));
}

void print_error(const Error& error) {
  if (const auto* parse = dynamic_cast<const daedal::ParseError*>(&error)) {
    for (const daedal::Diagnostic& d : parse->diagnostics()) print_error(d.message, d.where);
    return;
  }
  print_error(error.what(), error.where());
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// Runs `body`; an exception becomes a message, or the one JSON document, and an exit code.
int guarded(bool json, const Command& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (json) {
      print_json(daedal::io::error_document(error));
    } else {
      print_error(error);
    }
    return exit_code(error);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view sentence =
        "The memory of the machine is used up. Write fewer rows (--interval), or make the model "
        "smaller.";
    if (json) {
      print_json(daedal::io::error_document("out-of-memory", sentence));
    } else {
      print_error(sentence);
    }
    return daedal::app::exit_run_failed;
  } catch (const std::exception& error) {
    if (json) {
      print_json(daedal::io::error_document("internal", error.what()));
    } else {
      print_error(error.what());
    }
    return daedal::app::exit_run_failed;
  }
}

/// What was printed must have arrived: a full disk is no success.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  print_error("Standard output could not be written.");
  return code == 0 ? daedal::app::exit_misuse : code;
}

/// A sentence about the first word of the command line that is neither a command nor an option,
/// with the nearest that is; empty where all are known.
std::string unknown_word(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    std::vector<std::string> known;
    const bool is_option = word.starts_with("--");
    if (is_option) {
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    } else if (command == &app) {
      for (const CLI::App* one : app.get_subcommands({})) known.push_back(one->get_name());
    } else {
      continue;
    }
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(known, name) == known.end()) {
      const std::string nearest = daedal::nearest_name(name, known);
      return fmt::format("There is no {} '{}'{}.{}", is_option ? "option" : "command", name,
                         command == &app ? "" : fmt::format(" of '{}'", command->get_name()),
                         nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest));
    }
    if (!is_option) command = app.get_subcommand(name);
  }
  return {};
}

/// What is wrong with a command line that cannot be parsed, in a sentence.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (argc == 1) {
    return "A command is missing. To begin: 'daedal new pendulum', then 'daedal simulate "
           "pendulum.mo'.";
  }
  const std::string sentence = unknown_word(app, argc, argv);
  return sentence.empty() ? fmt::format("{}.", error.what()) : sentence;
}

/// A command line that cannot be parsed must still answer in JSON when it asks for it.
int misuse(const CLI::App& app, const CLI::ParseError& error, bool json, int argc, char** argv) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const std::string sentence = complaint(app, error, argc, argv);
  if (json) {
    print_json(daedal::io::error_document("invalid-option", sentence));
  } else {
    print_error(sentence);
    fmt::print(stderr, "Try 'daedal --help' or 'daedal COMMAND --help'.\n");
  }
  return daedal::app::exit_misuse;
}

constexpr std::string_view color_words[] = {"auto", "always", "never"};

/// Called before the command line is parsed, because its errors are shown in colours, too.
void read_color_mode(int argc, char** argv) {
  constexpr std::string_view option = "--color";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with(option)) continue;
    word.remove_prefix(option.size());
    if (word.empty() && i + 1 < argc) {
      word = argv[i + 1];
    } else if (word.starts_with('=')) {
      word.remove_prefix(1);
    }
    const auto* const found = std::ranges::find(color_words, word);
    if (found == std::end(color_words)) continue;  // the parser refuses it
    daedal::app::set_color_mode(static_cast<daedal::app::ColorMode>(found - color_words));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Solves differential-algebraic equations F(t, x, x') = 0 of any index, as written.",
               "daedal"};
  app.set_version_flag("--version", DAEDAL_VERSION);
  app.require_subcommand(1);
  daedal::app::Common common;
  std::vector<std::pair<CLI::App*, Command>> commands;
  const auto add = [&](auto declare) {
    Command command = declare(app, common);
    CLI::App* const subcommand = app.get_subcommands({}).back();
    subcommand
        ->add_option("--color", common.color,
                     "Colours: auto (in terminals, without NO_COLOR), always, never")
        ->check(
            CLI::IsMember(std::vector<std::string>(std::begin(color_words), std::end(color_words))))
        ->type_name("WHEN")
        ->capture_default_str();
    commands.emplace_back(subcommand, std::move(command));
  };
  add(daedal::app::add_simulate);
  add(daedal::app::add_sweep);
  add(daedal::app::add_analyze);
  add(daedal::app::add_compare);
  add(daedal::app::add_solve_bvp);
  add(daedal::app::add_report);
  add(daedal::app::add_info);
  add(daedal::app::add_new);
  add(daedal::app::add_methods);
  add(daedal::app::add_reproduce);

  read_color_mode(argc, argv);
  const bool json_asked =
      std::any_of(argv, argv + argc, [](const char* a) { return std::string_view(a) == "--json"; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return misuse(app, error, json_asked, argc, argv);
  }
  for (const auto& [subcommand, command] : commands) {
    if (subcommand->parsed()) return flushed(guarded(common.json, command));
  }
  return daedal::app::exit_misuse;
}
