// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <daedal/modelica.hpp>
#include <fstream>
#include <sstream>

#include "modelica/elaborate/elaborator.hpp"
#include "modelica/library/prelude.hpp"
#include "modelica/syntax/parser.hpp"

namespace daedal {

namespace {

using namespace modelica;

void check_options(const ParseOptions& options) {
  if (options.max_nesting < 1 || options.max_nesting > 1000 || options.max_diagnostics < 1 ||
      options.max_elements < 1 || options.max_elements > 2'000'000'000 ||
      options.max_operations < 1) {
    throw OptionError(ErrorCode::invalid_option,
                      "ParseOptions: every limit must be positive, max_nesting at most 1000 and "
                      "max_elements at most 2e9.");
  }
}

bool calls_library(const Ast& ast) {
  return std::any_of(ast.expressions.begin(), ast.expressions.end(), [&](const ExprNode& node) {
    return node.kind == ExprKind::call && ast.text(node.text).starts_with(library_prefix);
  });
}

std::string text_or_empty(const Ast& ast, TextId id) {
  return id == none ? std::string() : ast.text(id);
}

}  // namespace

Model parse_model(std::string_view text, const std::string& file_name,
                  const ParseOptions& options) {
  check_options(options);
  Diagnostics diagnostics(file_name, options.max_diagnostics, options.warnings);
  Ast ast = parse(text, diagnostics, options.max_nesting);
  diagnostics.throw_if_any();
  if (calls_library(ast)) ast = with_prelude(std::move(ast), prelude_text());
  ClassTable classes(ast, diagnostics);
  try {
    classes.collect();
  } catch (const Abandon&) {
    diagnostics.throw_if_any();
  }
  const ClassDefinition& definition = ast.definition(classes.model());
  Pruning pruning;
  // What is left out changes the numbers of variables and nodes, so the model is built again.
  while (true) {
    ModelBuilder builder(ast.text(definition.name), text_or_empty(ast, definition.description));
    Context context{text, ast, diagnostics, builder, builder.pool(), options, pruning};
    const bool complete = Elaborator(context, classes).run();
    diagnostics.throw_if_any();
    if (complete) return builder.build();
  }
}

Model load_model(const std::filesystem::path& path, const ParseOptions& options) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  // A directory opens without complaint and fails on reading.
  if (file) content << file.rdbuf();
  if (!file || (content.str().empty() && file.peek() != std::ifstream::traits_type::eof())) {
    throw Error(ErrorCode::file_not_readable, "The file '" + path.string() + "' cannot be read.",
                {path.string(), 0, 0});
  }
  return parse_model(content.str(), path.string(), options);
}

}  // namespace daedal
