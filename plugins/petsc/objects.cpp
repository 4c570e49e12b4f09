// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/petsc/objects.hpp"

#include <limits>
#include <string>

namespace daedal::app {

namespace {

/// The first message of a chain of errors says what is wrong; the others are the way back.
std::string& last_message() {
  static std::string message;
  return message;
}

}  // namespace

PetscErrorCode note_error(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                          PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL) last_message() = message != nullptr ? message : "";
  return code;
}

void must(PetscErrorCode code) {
  if (code != 0) throw PetscFailure(last_message());
}

PetscInt to_petsc(std::int64_t i) {
  if (i > std::numeric_limits<PetscInt>::max()) {
    throw Refusal("This PETSc counts rows and entries by 32 bits: the model is too large.");
  }
  return static_cast<PetscInt>(i);
}

}  // namespace daedal::app
