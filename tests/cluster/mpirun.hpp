// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The program under mpirun, with more ranks than processors, on this machine alone, also as root.

#include <string>

#include "app/program.hpp"

namespace daedal::test {

inline const std::string mpirun =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec mpirun --oversubscribe ";

inline ProgramResult run_ranks(const std::string& options, const std::string& arguments) {
  return run_command(mpirun + options + " " + DAEDAL_PROGRAM + " " + arguments);
}

}  // namespace daedal::test
