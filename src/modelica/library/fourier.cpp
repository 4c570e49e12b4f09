// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/fourier.hpp"

#include <cmath>
#include <numbers>

namespace daedal::modelica {

namespace {

/// Products of complex numbers that are written out: half a second of elaboration.
constexpr std::size_t most_products = 32'768;

std::size_t smallest_factor(std::size_t n) {
  std::size_t p = 2;
  while (p * p <= n && n % p != 0) ++p;
  return p * p <= n ? p : n;
}

std::size_t n_products(std::size_t n) {
  std::size_t sum = 0;
  for (std::size_t left = n; left > 1; left /= smallest_factor(left)) sum += smallest_factor(left);
  return n * sum;
}

/// The parts of a complex number; none for 0.
struct Complex {
  NodeId re = no_node;
  NodeId im = no_node;
};

/// cos and sin of 2π r/n: multiples of a quarter turn are exact.
struct Turn {
  double cosine, sine;
};
Turn turn(std::size_t r, std::size_t n) {
  r %= n;
  constexpr Turn quarters[] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
  if (4 * r % n == 0) return quarters[4 * r / n];
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(r) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

class Transform {
 public:
  explicit Transform(Pool& pool) : pool_(pool) {}

  std::vector<Complex> operator()(const std::vector<Complex>& x) {
    const std::size_t n = x.size();
    if (n == 1) return x;
    const std::size_t p = smallest_factor(n);
    std::vector<std::vector<Complex>> parts;  // of every p-th number
    for (std::size_t q = 0; q < p; ++q) {
      std::vector<Complex> taken;
      for (std::size_t j = q; j < n; j += p) taken.push_back(x[j]);
      parts.push_back((*this)(taken));
    }
    std::vector<Complex> result(n);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t q = 0; q < p; ++q) {
        const Complex& part = parts[q][k % (n / p)];
        const Turn by = turn(q * k, n);
        result[k].re = sum(result[k].re, times(by.cosine, part.re));
        result[k].re = sum(result[k].re, times(by.sine, part.im));
        result[k].im = sum(result[k].im, times(by.cosine, part.im));
        result[k].im = sum(result[k].im, times(-by.sine, part.re));
      }
    }
    return result;
  }

 private:
  NodeId sum(NodeId a, NodeId b) {
    if (a == no_node || b == no_node) return a == no_node ? b : a;
    return pool_.add(a, b);
  }
  NodeId times(double factor, NodeId a) {
    if (a == no_node || factor == 0.0) return no_node;
    if (factor == 1.0) return a;
    return factor == -1.0 ? pool_.neg(a) : pool_.mul(pool_.constant(factor), a);
  }

  Pool& pool_;
};

}  // namespace

bool is_fourier_transform(std::string_view name) {
  return name.ends_with("FastFourierTransform.Internal.rawRealFFT");
}

std::vector<Value> fourier_transform(Pool& pool, std::span<const Value> arguments) {
  const bool is_vector =
      arguments.size() == 1 && arguments[0].type == Type::real && arguments[0].shape.size() == 1;
  if (!is_vector || arguments[0].nodes.empty()) return {};
  const std::size_t n = arguments[0].nodes.size();
  if (n_products(n) > most_products) return {};
  std::vector<Complex> samples;
  for (const NodeId u : arguments[0].nodes) samples.push_back({.re = u});
  const std::vector<Complex> transformed = Transform(pool)(samples);
  const NodeId zero = pool.constant(0.0);
  const Shape shape{static_cast<std::int64_t>(n / 2 + 1)};
  Value amplitudes{.type = Type::real, .shape = shape};
  Value phases{.type = Type::real, .shape = shape};
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const NodeId re = transformed[k].re == no_node ? zero : transformed[k].re;
    const NodeId im = transformed[k].im == no_node ? zero : transformed[k].im;
    const NodeId size = pool.unary(Op::sqrt, pool.add(pool.mul(re, re), pool.mul(im, im)));
    amplitudes.nodes.push_back(pool.mul(pool.constant(2.0 / static_cast<double>(n)), size));
    phases.nodes.push_back(pool.binary(Op::atan2, im, re));
  }
  return {Value::scalar(Type::integer, zero), std::move(amplitudes), std::move(phases)};
}

}  // namespace daedal::modelica
