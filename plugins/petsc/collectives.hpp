// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What all ranks do together.

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/petsc/objects.hpp"

namespace daedal::app {

/// Gives the values of the first rank to all.
template <class Number>
void send_to_all(std::vector<Number>& values) {
  auto n = static_cast<std::int64_t>(values.size());
  MPI_Bcast(&n, 1, MPI_INT64_T, 0, PETSC_COMM_WORLD);
  values.resize(static_cast<std::size_t>(n));
  MPI_Bcast(values.data(), to_petsc(n * static_cast<std::int64_t>(sizeof(Number))), MPI_BYTE, 0,
            PETSC_COMM_WORLD);
}

inline void send_to_all(std::string& text) {
  std::vector<char> bytes(text.begin(), text.end());
  send_to_all(bytes);
  text.assign(bytes.begin(), bytes.end());
}

inline void send_to_all(std::vector<std::string>& texts) {
  auto n = static_cast<int>(texts.size());
  MPI_Bcast(&n, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  texts.resize(static_cast<std::size_t>(n));
  for (std::string& text : texts) send_to_all(text);
}

inline double greatest_of_all(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return value;
}

}  // namespace daedal::app
