// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The objects and errors of PETSc as C++ has them.

#include <petscts.h>

#include <cstdint>
#include <span>
#include <stdexcept>

namespace daedal::app {

/// What is asked for cannot be done; what() says why.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// PETSc has failed; what() is what it said.
struct PetscFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the message of an error, for must().
PetscErrorCode note_error(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                          PetscErrorType type, const char* message, void*);

/// Throws PetscFailure where a call of PETSc has failed.
void must(PetscErrorCode code);

/// An object of PETSc, with its kind of destruction.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy(&object_); }
  [[nodiscard]] Object* out() { return &object_; }
  operator Object() const { return object_; }

 private:
  Object object_ = nullptr;
};
using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedIs = Owned<IS, ISDestroy>;
using OwnedScatter = Owned<VecScatter, VecScatterDestroy>;
using OwnedKsp = Owned<KSP, KSPDestroy>;
using OwnedTs = Owned<TS, TSDestroy>;

/// The values of a vector that are this rank's.
class Values {
 public:
  explicit Values(Vec vector) : vector_(vector) {
    PetscInt n = 0;
    must(VecGetLocalSize(vector, &n));
    must(VecGetArray(vector, &data_));
    size_ = static_cast<std::size_t>(n);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() { VecRestoreArray(vector_, &data_); }
  [[nodiscard]] std::span<double> get() const { return {data_, size_}; }
  double& operator[](std::size_t i) const { return data_[i]; }

 private:
  Vec vector_;
  PetscScalar* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The same, only to be read: steps begin anew after a vector that was written.
class ReadValues {
 public:
  explicit ReadValues(Vec vector) : vector_(vector) { must(VecGetArrayRead(vector, &data_)); }
  ReadValues(const ReadValues&) = delete;
  ReadValues& operator=(const ReadValues&) = delete;
  ~ReadValues() { VecRestoreArrayRead(vector_, &data_); }
  double operator[](std::size_t i) const { return data_[i]; }

 private:
  Vec vector_;
  const PetscScalar* data_ = nullptr;
};

/// A number of rows or entries; throws Refusal where PETSc cannot count so far.
PetscInt to_petsc(std::int64_t i);

}  // namespace daedal::app
