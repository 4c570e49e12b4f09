// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Classes of variables that are equal up to sign, with one representative each: a union-find
/// structure whose links carry a sign.

#include <cstdint>
#include <vector>

namespace daedal {

class AliasClasses {
 public:
  explicit AliasClasses(std::int32_t n_variables);

  struct Member {
    std::int32_t representative;
    int sign;  ///< variable = sign · representative
  };
  [[nodiscard]] Member find(std::int32_t variable);
  /// Declares representative `a` = sign · representative `b`, different ones; `a` stays
  /// representative.
  void merge(std::int32_t a, std::int32_t b, int sign);
  /// Every variable of the class of a representative, itself among them.
  [[nodiscard]] const std::vector<std::int32_t>& members(std::int32_t representative) const;

 private:
  std::vector<std::int32_t> parent_;
  std::vector<int> sign_;  ///< variable = sign · parent
  std::vector<std::vector<std::int32_t>> members_;
};

}  // namespace daedal
