// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/taylor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>

#include "kernel/compiler/code.hpp"
#include "kernel/taylor_rules.hpp"

namespace daedal::kernel {

namespace {

namespace libm = functions_of_numbers;

/// Series that rules use within one operation.
constexpr std::size_t n_scratch = std::tuple_size_v<taylor::Scratch>;

/// Series in registers.
struct Registers {
  double* data;
  std::size_t stride;  ///< doubles from one series to the next
  int* degrees;

  [[nodiscard]] double* series(std::uint32_t number) const { return data + number * stride; }
  [[nodiscard]] taylor::Operand operand(std::uint32_t number) const {
    return {series(number), degrees[number]};
  }
};

// How a rule is called, by its number of operands.
#define DAEDAL_CALL_1(rule) rule(context, to, u)
#define DAEDAL_CALL_2(rule) rule(context, to, u, v)
#define DAEDAL_CALL_3(rule) rule(context, to, u, v, w)
#define DAEDAL_CALL_4(rule) rule(context, to, u, v, w, x)
#define DAEDAL_DEGREE_1 u.degree
#define DAEDAL_DEGREE_2 DAEDAL_DEGREE_1 | v.degree
#define DAEDAL_DEGREE_3 DAEDAL_DEGREE_2 | w.degree
#define DAEDAL_DEGREE_4 DAEDAL_DEGREE_3 | x.degree

// The leading coefficient is the operation's own value; operands without higher coefficients
// need no more, whether or not the function is analytic there.
#define DAEDAL_RULE(name, arity, value, rule, ...)                                               \
  case Operation::name: {                                                                        \
    [[maybe_unused]] const double a = u.c[0], b = v.c[0], c = w.c[0], d = x.c[0];                \
    to[0] = value;                                                                               \
    registers.degrees[ip->r] = (DAEDAL_DEGREE_##arity) == 0 ? taylor::fill_zero(context, to, 1)  \
                                                            : DAEDAL_CALL_##arity(taylor::rule); \
    break;                                                                                       \
  }

/// Runs the instructions on whole series, one instruction after the other.
template <class C>
void sweep(const Instruction* ip, const C& context, const Registers& registers) {
  constexpr double zero = 0.0;
  constexpr double one = 1.0;
  for (; ip->operation != Operation::stop; ++ip) {
    double* const to = registers.series(ip->r);
    const taylor::Operand u = registers.operand(ip->a);
    const taylor::Operand v = registers.operand(ip->b);
    const taylor::Operand w = registers.operand(ip->c);
    const taylor::Operand x = registers.operand(ip->d);
    switch (ip->operation) {
      DAEDAL_KERNEL_OPERATIONS(DAEDAL_RULE)
      case Operation::sin_cos: {
        double* const cosine = registers.series(ip->d);
        to[0] = libm::sin(u.c[0]);
        cosine[0] = libm::cos(u.c[0]);
        taylor::sin_cos(context, to, cosine, u);
        registers.degrees[ip->r] = registers.degrees[ip->d] = u.degree == 0 ? 0 : context.order;
        break;
      }
      case Operation::stop:
        return;
    }
  }
}

/// The orders that derivative arrays of index up to 6 need are unrolled.
void sweep_to(int order, const Instruction* ip, const taylor::Scratch& scratch,
              const Registers& registers) {
  switch (order) {
    case 0:
      return sweep(ip, taylor::FixedOrder<0>{scratch}, registers);
    case 1:
      return sweep(ip, taylor::FixedOrder<1>{scratch}, registers);
    case 2:
      return sweep(ip, taylor::FixedOrder<2>{scratch}, registers);
    case 3:
      return sweep(ip, taylor::FixedOrder<3>{scratch}, registers);
    case 4:
      return sweep(ip, taylor::FixedOrder<4>{scratch}, registers);
    case 5:
      return sweep(ip, taylor::FixedOrder<5>{scratch}, registers);
    case 6:
      return sweep(ip, taylor::FixedOrder<6>{scratch}, registers);
    default:
      return sweep(ip, taylor::AnyOrder{order, scratch}, registers);
  }
}

}  // namespace

TaylorEvaluator::TaylorEvaluator(const Program& program, int max_order) : code_(program.code()) {
  if (max_order < 0) {
    throw Error(ErrorCode::internal, "The order of a Taylor series must not be negative.");
  }
  stride_ = static_cast<std::size_t>(max_order) + 1;
  const std::size_t n_registers = to_size(code_->n_registers);
  registers_.assign(stride_ * (n_registers + n_scratch), 0.0);
  degrees_.assign(n_registers, 0);
  for (std::size_t i = 0; i < code_->constants.size(); ++i) {
    registers_[i * stride_] = code_->constants[i];
  }
}

void TaylorEvaluator::evaluate(int order, std::span<const SeriesBlock> blocks,
                               std::span<double> out) {
  code_->check({.workspace = code_.get(),
                .n_blocks = blocks.size(),
                .n_out = out.size(),
                .values_per_output = order + 1});
  if (to_size(order) >= stride_) {
    throw Error(ErrorCode::internal, "A Taylor evaluator was made for a lower order.");
  }
  copy_in(order, blocks);
  double* const registers = registers_.data();
  taylor::Scratch scratch;
  for (std::size_t i = 0; i < n_scratch; ++i) {
    scratch[i] = registers + (to_size(code_->n_registers) + i) * stride_;
  }
  sweep_to(order, code_->instructions.data(), scratch, {registers, stride_, degrees_.data()});
  copy_out(order, out);
}

void TaylorEvaluator::copy_in(int order, std::span<const SeriesBlock> blocks) {
  std::size_t to = code_->constants.size();
  for (const InputRun& run : code_->inputs) {
    const SeriesBlock& block = blocks[run.block];
    for (Index i = 0; i < run.count; ++i, ++to) {
      const double* from = block.coefficients + run.offset + i;
      double* const series = registers_.data() + to * stride_;
      const int known = std::min(order + 1, block.n_coefficients);
      int degree = 0;
      for (int k = 0; k < known; ++k, from += block.stride) {
        series[k] = *from;
        if (series[k] != 0.0) degree = k;
      }
      std::fill(series + known, series + order + 1, 0.0);
      degrees_[to] = degree;
    }
  }
}

void TaylorEvaluator::copy_out(int order, std::span<double> out) {
  double* const registers = registers_.data();
  for (const OutputCopy& copy : code_->copies) {
    std::copy_n(registers + copy.from * stride_, order + 1, registers + copy.to * stride_);
  }
  const std::size_t n_outputs = to_size(code_->n_outputs);
  for (std::size_t i = 0; i < n_outputs; ++i) {
    const double* from = registers + (to_size(code_->first_output) + i) * stride_;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(order); ++k) {
      out[k * n_outputs + i] = from[k];
    }
  }
}

void run_operation(const Instruction& instruction, int order, const SeriesRegisters& registers,
                   std::span<double> scratch) {
  const Instruction program[] = {instruction, {}};
  std::vector<int> degrees(registers.degrees.begin(), registers.degrees.end());
  degrees.resize(std::max(degrees.size(), static_cast<std::size_t>(instruction.r) + 1));
  double* const first = scratch.data();
  const std::size_t size = scratch.size() / n_scratch;
  sweep_to(order, program, {first, first + size, first + 2 * size},
           {registers.data, registers.stride, degrees.data()});
}

void fill_derivative_series(const DerivativeSeries& series) {
  const Index n = series.n;
  if (n <= 0) return;
  const Index known = to_index(series.x.size()) / n;
  const Index wanted = to_index(series.out.size()) / n;
  double scale = 1.0;
  for (int i = 0; i < series.derivative; ++i) scale /= series.scale;
  for (Index j = 0; j < wanted; ++j) {
    const Index source = j + series.derivative;
    double* const to = series.out.data() + j * n;
    if (source >= known) {
      std::fill_n(to, n, 0.0);
      continue;
    }
    double factor = scale;
    for (Index i = j + 1; i <= source; ++i) factor *= static_cast<double>(i);
    const double* const from = series.x.data() + source * n;
    for (Index i = 0; i < n; ++i) to[i] = factor * from[i];
  }
}

}  // namespace daedal::kernel
