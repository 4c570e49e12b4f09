// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What all parts of the elaboration share: the text and its tree, the model under construction,
/// the messages, and the limits that keep any text from exhausting time, memory or stack.

#include <fmt/format.h>

#include <daedal/model.hpp>
#include <daedal/modelica.hpp>
#include <string_view>
#include <utility>

#include "expr/pool.hpp"
#include "modelica/diagnostics.hpp"
#include "modelica/elaborate/value.hpp"
#include "modelica/restored.hpp"
#include "modelica/syntax/ast.hpp"

namespace daedal::modelica {

/// Expressions inside each other over all function calls. A level takes a few hundred bytes of
/// stack in each of about five functions, under sanitizers some kilobytes: 1,500 levels stay
/// below 8 MB.
inline constexpr int max_evaluation_depth = 1500;

struct Context {
  std::string_view text;
  const Ast& ast;
  Diagnostics& diagnostics;
  ModelBuilder& builder;
  Pool& pool;
  const ParseOptions& options;
  std::int64_t operations = 0;
  std::int64_t elements = 0;
  int depth = 0;
  /// Inside noEvent() and functions relations follow their arguments and make no events.
  bool immediate = false;
  /// Inside when-clauses and initial equations things happen once, at an instant.
  bool instant = false;

  [[noreturn]] void fail(ErrorCode code, Position where, std::string message) const {
    diagnostics.fail(code, where, std::move(message));
  }

  /// Counts work against the limit.
  void spend(std::int64_t n, Position where) {
    operations += n;
    if (operations <= options.max_operations) return;
    stop(where, fmt::format("Unrolling loops and executing functions takes more than {} operations "
                            "up to here.",
                            options.max_operations));
  }

  /// Counts scalars against the limit.
  void claim_elements(std::int64_t n, Position where) {
    elements += n;
    if (elements <= options.max_elements) return;
    stop(where, fmt::format("The arrays declared up to here expand to more than {} scalars.",
                            options.max_elements));
  }

 private:
  /// A limit is met once: going on would only meet it again.
  [[noreturn]] void stop(Position where, std::string message) const {
    diagnostics.report(ErrorCode::too_deep, where, std::move(message));
    diagnostics.throw_if_any();
    throw Abandon{};
  }
};

/// Counts the depth of evaluation while it lives.
class Deeper {
 public:
  Deeper(Context& context, Position where) : context_(context) {
    if (context.depth >= max_evaluation_depth) {
      context.fail(ErrorCode::too_deep, where,
                   fmt::format("Expressions and function calls are nested more than {} deep here.",
                               max_evaluation_depth));
    }
    ++context_.depth;
  }
  ~Deeper() { --context_.depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Context& context_;
};

}  // namespace daedal::modelica
