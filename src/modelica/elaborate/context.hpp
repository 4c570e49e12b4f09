// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What all parts of the elaboration share: the text and its tree, the model under construction,
/// the messages, and the limits that keep any text from exhausting time, memory or stack.

#include <fmt/format.h>

#include <daedal/model.hpp>
#include <daedal/modelica.hpp>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expr/pool.hpp"
#include "modelica/diagnostics.hpp"
#include "modelica/elaborate/expressions/value.hpp"
#include "modelica/restored.hpp"
#include "modelica/syntax/ast.hpp"

namespace daedal::modelica {

// The parts of the elaboration, which refer to each other.
class Assertions;
class ClassTable;
class Components;
class Delays;
class Discretes;
class Equalities;
class Equations;
class Expressions;
class Functions;
class Operators;
class References;
class Roots;
class Scope;
class Structure;
class SymbolicExecution;
class Tables;
class WhenClauses;
struct FunctionFrame;

/// Expressions inside each other over all function calls. A level takes a few hundred bytes of
/// stack in each of about five functions, under sanitizers some kilobytes: 1,500 levels stay
/// below 8 MB.
inline constexpr int max_evaluation_depth = 1500;

/// What is left out because nothing needs it and the text does not define a function for it.
struct Pruning {
  std::unordered_set<std::string> variables{};
  std::unordered_set<std::int64_t> units{};  ///< statements, sections, ... by equation_key()
  std::unordered_set<std::string> starts{};  ///< variables whose start values are left out
  /// Not left out, but known only when all equations are read: calls of delay() of variables that
  /// change at events only, by equation_key().
  std::unordered_set<std::int64_t> discrete_delays{};
};

/// An expression of the model that is no equation but may need a variable.
struct Use {
  NodeId node = no_node;
  Position unit{};            ///< of what is it a part?
  NodeId assigned = no_node;  ///< the variable that a when-clause gives a value by it
  NodeId defined = no_node;   ///< the variable that no text declares and that it is
};

/// Something that calls a function which the text does not define.
struct UndefinedUnit {
  std::vector<NodeId> determined{};  ///< by an initial equation: the variables on its left side
  Position unit{};                   ///< the statement, section or declaration
  Position call{};
  std::string message{};
};

/// The generator of random numbers with a hidden state: discrete Integers of the model, which the
/// when-clause that draws numbers gives new values.
struct ImpureRandom {
  std::vector<NodeId> held{};
  std::vector<NodeId> start{};  ///< before the first number
  std::vector<NodeId> now{};    ///< after those that the clause has drawn so far
  bool is_kept = false;         ///< by a clause that is read
  Position where{};             ///< of the last call
};

/// Names a statement, a section or a declaration by its place.
inline std::int64_t equation_key(Position where) {
  return (static_cast<std::int64_t>(where.line) << 32) | where.column;
}

struct Context {
  std::string_view text;
  const Ast& ast;
  Diagnostics& diagnostics;
  ModelBuilder& builder;
  Pool& pool;
  const ParseOptions& options;
  Pruning& pruning;
  std::vector<Use> uses{};
  std::vector<UndefinedUnit> undefined{};
  /// The statement, the section or the declaration that is being read.
  Position unit{};
  /// Functions that the text calls but does not define and the library does, with a call of each.
  std::map<std::string, Position> stand_ins{};
  std::int64_t operations = 0;
  std::int64_t elements = 0;
  int depth = 0;
  /// Inside noEvent() and functions relations follow their arguments and make no events.
  bool immediate = false;
  /// Inside when-clauses and initial equations things happen once, at an instant.
  bool instant = false;
  /// Calls of undefined library functions throw UndefinedFunction.
  bool defer_undefined = false;
  /// x(startTime) and x(finalTime) are values of variables at the ends of the interval.
  bool takes_boundary_values = false;
  bool has_boundary_values = false;  ///< x(finalTime) was read somewhere
  ImpureRandom impure{};
  NodeId homotopy = no_node;  ///< the share of actual expressions, once homotopy() was used

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

/// A function that the text calls but does not define, or that is written in another language.
/// Thrown instead of a message where the caller may find that nothing needs the result.
struct UndefinedFunction {
  Position where;
  std::string message;
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
