// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Names for the invariants of a manifold, where it has them: for messages of schemes that know
/// nothing else of what they project on.

#include <cstdint>
#include <string>

namespace daedal {

class NamedInvariants {
 public:
  virtual ~NamedInvariants() = default;
  /// Invariants are numbered through all levels.
  [[nodiscard]] virtual std::string invariant_name(std::int64_t invariant) const = 0;
};

}  // namespace daedal
