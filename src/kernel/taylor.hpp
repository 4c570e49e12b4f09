// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Taylor series of the outputs of a program from those of its inputs.
///
/// A vector series Σ x_j τ^j is stored coefficient after coefficient: x_0, x_1, ..., so that each
/// coefficient is a contiguous vector of the model's unknowns.

#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernel/operations.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

/// A block of inputs for `TaylorEvaluator`: coefficient j of the value at `offset` is
/// coefficients[j·stride + offset]. Coefficients from n_coefficients on are zero: a block of
/// parameters, modes or discrete values has one.
struct SeriesBlock {
  const double* coefficients = nullptr;
  Index stride = 0;
  int n_coefficients = 1;
};

/// Evaluates a program on series up to an order fixed at the beginning, without allocation. It
/// holds the registers, so each thread has its own.
class TaylorEvaluator {
 public:
  TaylorEvaluator() : TaylorEvaluator(Program(), 0) {}
  TaylorEvaluator(const Program& program, int max_order);

  /// Taylor coefficients 0..order of every output from those of the inputs:
  /// out[k·n_outputs + i] is coefficient k of outputs[i]. So the coefficients A_k of a Jacobian
  /// along a series are contiguous, one after the other.
  ///
  /// The leaf of a derivative, variable(id, m), is an input of its own (see
  /// fill_derivative_series). Functions in pieces follow the piece on the right of τ = 0.
  void evaluate(int order, std::span<const SeriesBlock> blocks, std::span<double> out);

 private:
  void copy_in(int order, std::span<const SeriesBlock> blocks);
  void copy_out(int order, std::span<double> out);

  std::shared_ptr<const Program::Code> code_;
  std::size_t stride_ = 0;         ///< doubles from one series to the next: the greatest order + 1
  std::vector<double> registers_;  ///< of one series each
  std::vector<int> degrees_;       ///< per register: coefficients above are zero
};

/// Series one behind the other, and per series the degree above which it is zero.
struct SeriesRegisters {
  double* data = nullptr;
  std::size_t stride = 0;
  std::span<const int> degrees;
};
/// One instruction up to an order, for evaluations that have their own way through a program.
/// `scratch` has room for three series.
void run_operation(const Instruction& instruction, int order, const SeriesRegisters& registers,
                   std::span<double> scratch);

struct DerivativeSeries {
  std::span<const double> x;  ///< coefficients of n values each, x_0 first
  Index n = 0;
  int derivative = 1;     ///< m
  double scale = 1.0;     ///< h, if coefficients are scaled: x_j stands for h^j·x^(j)/j!
  std::span<double> out;  ///< of the same layout, as many coefficients as fit
};

/// The series of the m-th time derivative of x: coefficient j is (j+m)!/j!·x_{j+m}/h^m. As many
/// coefficients as `out` takes; those beyond the known ones are zero.
void fill_derivative_series(const DerivativeSeries& series);

}  // namespace daedal::kernel
