// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A model while Python still writes it: declarations and a tape. build() makes a Model of what is
/// there and leaves the draft as it is.

#include <daedal/lagrangian.hpp>
#include <daedal/model.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tape.hpp"

namespace daedal::python {

struct VariableDraft {
  std::string name;
  VariableOptions options{};  ///< without the start value
  TapeId start = no_id;
};

struct ParameterDraft {
  std::string name;
  ParameterOptions options{};
  TapeId value = no_id;
};

struct EquationDraft {
  TapeId lhs = no_id;
  TapeId rhs = no_id;
  std::string name{};
  SourcePosition where{};
};

struct ActionDraft {
  WhenAction::Kind kind = WhenAction::Kind::assign;
  std::int32_t target = -1;
  TapeId value = no_id;
  std::string message{};
};

struct WhenDraft {
  TapeId condition = no_id;
  std::vector<ActionDraft> actions{};
  SourcePosition where{};
};

struct AssertionDraft {
  TapeId condition = no_id;
  std::string message{};
  bool warning = false;
};

class Draft {
 public:
  explicit Draft(std::string name, std::string description = {})
      : name_(std::move(name)), description_(std::move(description)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  virtual ~Draft() = default;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  TapeId variable(VariableDraft variable);
  TapeId discrete(VariableDraft variable);
  TapeId parameter(ParameterDraft parameter);
  TapeId time();
  /// Whether an expression can be no truth value. 0 and 1 may be True and False.
  [[nodiscard]] bool is_number(TapeId id) const;

  /// Throws ModelError as ModelBuilder does.
  [[nodiscard]] virtual Model build() const;

  Tape tape;
  std::vector<VariableDraft> variables;
  std::vector<VariableDraft> discretes;
  std::vector<ParameterDraft> parameters;
  std::vector<EquationDraft> equations;
  std::vector<EquationDraft> initial_equations;
  std::vector<EquationDraft> boundary_equations;
  std::vector<WhenDraft> whens;
  std::vector<AssertionDraft> assertions;
  TapeId energy = no_id;

 protected:
  /// Time, parameters and discrete variables, without their values.
  void declare_parameters(ModelBuilder& builder, TapeLeaves& leaves) const;
  [[nodiscard]] std::vector<TapeId> roots() const;
  /// The expressions of all nodes that `roots` need, by their number on the tape.
  [[nodiscard]] std::vector<Expr> replay(ModelBuilder& builder, const TapeLeaves& leaves,
                                         const std::vector<TapeId>& roots) const;
  /// What der(variable, order) is.
  [[nodiscard]] virtual Expr derivative(const TapeLeaves& leaves, const TapeNode& node,
                                        Expr base) const;
  /// Equations, events and start values from replayed expressions.
  void fill(ModelBuilder& builder, const TapeLeaves& leaves,
            const std::vector<Expr>& expressions) const;

 private:
  std::string name_;
  std::string description_;
  TapeId time_ = no_id;
};

/// A mechanical system by its energies. Coordinate i is variable 2i, its velocity variable 2i + 1.
class LagrangianDraft final : public Draft {
 public:
  using Draft::Draft;
  struct CoordinateDraft {
    std::string name;
    CoordinateOptions options{};  ///< without start values
    TapeId start = no_id;
    TapeId velocity_start = no_id;
  };
  /// The nodes of position and velocity.
  std::pair<TapeId, TapeId> coordinate(CoordinateDraft coordinate);
  [[nodiscard]] Model build() const override;

  std::vector<CoordinateDraft> coordinates;
  std::vector<TapeId> kinetic;
  std::vector<TapeId> potential;
  std::vector<std::pair<std::int32_t, TapeId>> forces;  ///< by coordinate
  std::vector<std::pair<TapeId, std::string>> constraints;

 protected:
  [[nodiscard]] Expr derivative(const TapeLeaves& leaves, const TapeNode& node,
                                Expr base) const override;
};

}  // namespace daedal::python
