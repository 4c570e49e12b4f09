// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/pencil_solver.hpp"

#include <array>
#include <optional>
#include <vector>

#include "linalg/sparse/listed_lu.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {

namespace {

using Complex = std::complex<double>;

/// One solver for each matrix.
class SeparateMatrices final : public PencilSolver {
 public:
  SeparateMatrices(const SparsityPattern& pattern, int most_others, Storage storage)
      : real_(make_real_solver(pattern, storage)),
        values_(pattern.row.size()),
        complex_values_(pattern.row.size()),
        rhs_(to_size(pattern.columns)) {
    for (int k = 0; k < most_others; ++k) others_.push_back(make_complex_solver(pattern, storage));
  }

  FactorReport factor(std::span<const double> e, std::span<const double> a,
                      const PencilFactors& gammas) override {
    if (gammas.has_real) {
      for (std::size_t k = 0; k < a.size(); ++k) values_[k] = gammas.real * e[k] + a[k];
      if (const auto report = real_->factor(values_); !report.ok) return report;
    }
    n_others_ = gammas.others.size();
    for (std::size_t m = 0; m < n_others_; ++m) {
      const Complex gamma = gammas.others[m];
      for (std::size_t k = 0; k < a.size(); ++k) {
        complex_values_[k] = {gamma.real() * e[k] + a[k], gamma.imag() * e[k]};
      }
      if (const auto report = others_[m]->factor(complex_values_); !report.ok) return report;
    }
    return {};
  }

  void solve(double* columns, bool has_real) override {
    const std::size_t n = rhs_.size();
    if (has_real) {
      real_->solve({columns, n});
      columns += n;
    }
    for (std::size_t m = 0; m < n_others_; ++m, columns += 2 * n) {
      for (std::size_t i = 0; i < n; ++i) rhs_[i] = {columns[i], columns[n + i]};
      others_[m]->solve(rhs_);
      for (std::size_t i = 0; i < n; ++i) {
        columns[i] = rhs_[i].real();
        columns[n + i] = rhs_[i].imag();
      }
    }
  }
  void solve_real(std::span<double> rhs) override { real_->solve(rhs); }
  [[nodiscard]] std::string description() const override { return real_->description(); }

 private:
  std::unique_ptr<RealSolver> real_;
  std::vector<std::unique_ptr<ComplexSolver>> others_;
  std::size_t n_others_ = 0;
  std::vector<double> values_;
  std::vector<Complex> complex_values_, rhs_;
};

/// All matrices at once, the real one last.
template <int width>
class Together {
 public:
  explicit Together(const SparsityPattern& pattern)
      : lu_(pattern), n_(to_size(pattern.columns)), values_(pattern.row.size()) {}

  FactorReport factor(std::span<const double> e, std::span<const double> a,
                      const PencilFactors& gammas) {
    n_others_ = gammas.others.size();
    Lanes gamma;
    for (int lane = 0; lane < width; ++lane) {
      const auto k = static_cast<std::size_t>(lane);
      const bool is_real = gammas.has_real && k >= n_others_;
      const Complex own = is_real ? gammas.real : gammas.others[k < n_others_ ? k : 0];
      gamma.re[lane] = own.real();
      gamma.im[lane] = own.imag();
    }
    for (std::size_t k = 0; k < a.size(); ++k) {
      values_[k].re = gamma.re * e[k] + a[k];
      values_[k].im = gamma.im * e[k];
    }
    return lu_.factor(values_);
  }
  void solve(double* columns, bool has_real) {
    double* const others = columns + (has_real ? n_ : 0);
    double* const real = has_real ? columns : nullptr;
    switch (n_others_) {
      case 0:
        return solve_for<0>(real, others);
      case 1:
        return solve_for<1>(real, others);
      case 2:
        return solve_for<2>(real, others);
      default:
        if constexpr (width > 2) solve_for<3>(real, others);
    }
  }
  void solve_real(std::span<double> rhs) { lu_.solve_lane(n_others_, rhs); }

 private:
  using Lanes = ComplexLanes<width>;

  /// With as many others, known beforehand: all that moves numbers to and fro is unrolled.
  template <std::size_t n_others>
  void solve_for(double* real, double* others) {
    Lanes* const x = lu_.work();
    const std::size_t n = n_;
    const double* const scales = lu_.row_scales();
    for (std::size_t k = 0; k < n; ++k) {
      const auto i = to_size(lu_.rows()[k]);
      const double scale = scales[i];
      // All lanes: what is left of another solution in those of no column might not be finite, nor
      // might an imaginary part of a real one.
      Lanes lanes;
      if constexpr (n_others < width) {
        if (real != nullptr) lanes.re[n_others] = scale * real[i];
      }
#pragma GCC unroll 4
      for (std::size_t m = 0; m < n_others; ++m) {
        lanes.re[m] = scale * others[2 * m * n + i];
        lanes.im[m] = scale * others[(2 * m + 1) * n + i];
      }
      x[k] = lanes;
    }
    lu_.solve_ordered();
    for (std::size_t k = 0; k < n; ++k) {
      const auto i = to_size(lu_.columns()[k]);
      const Lanes& lanes = x[k];
      if constexpr (n_others < width) {
        if (real != nullptr) real[i] = lanes.re[n_others];
      }
#pragma GCC unroll 4
      for (std::size_t m = 0; m < n_others; ++m) {
        others[2 * m * n + i] = lanes.re[m];
        others[(2 * m + 1) * n + i] = lanes.im[m];
      }
    }
  }

  ListedLu<Lanes> lu_;
  std::size_t n_;
  std::size_t n_others_ = 0;
  std::vector<Lanes> values_;
};

/// Two at once for a pair of complex γ and the real one, four for up to three pairs.
class MatricesTogether final : public PencilSolver {
 public:
  explicit MatricesTogether(const SparsityPattern& pattern) : two_(pattern), four_(pattern) {}

  FactorReport factor(std::span<const double> e, std::span<const double> a,
                      const PencilFactors& gammas) override {
    is_wide_ = gammas.others.size() > 1;
    return is_wide_ ? four_.factor(e, a, gammas) : two_.factor(e, a, gammas);
  }
  void solve(double* columns, bool has_real) override {
    is_wide_ ? four_.solve(columns, has_real) : two_.solve(columns, has_real);
  }
  void solve_real(std::span<double> rhs) override {
    is_wide_ ? four_.solve_real(rhs) : two_.solve_real(rhs);
  }

 private:
  Together<2> two_;
  Together<4> four_;
  bool is_wide_ = false;
};

}  // namespace

std::unique_ptr<PencilSolver> make_pencil_solver(const SparsityPattern& pattern, int most_others,
                                                 Storage storage) {
  // Full matrices of this size cost as much one by one.
  constexpr Index small = 20;
  const Index n = pattern.columns;
  const double fill = static_cast<double>(pattern.nonzeros()) / static_cast<double>(n * n);
  const bool is_small = n > 0 && (n <= small || (n <= largest_listed && fill < 0.25));
  if (storage == Storage::automatic && is_small && most_others >= 1 && most_others < 4) {
    check_pattern(pattern);
    return std::make_unique<MatricesTogether>(pattern);
  }
  return std::make_unique<SeparateMatrices>(pattern, most_others, storage);
}

}  // namespace daedal::linalg
