// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Owners of SUNDIALS objects, views of its vectors, and its messages. One context per stepper:
/// SUNDIALS objects that share a context may not be used by several threads.

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <daedal/error.hpp>
#include <daedal/run_control.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "core/types.hpp"

namespace daedal::integration {

static_assert(std::is_same_v<sunindextype, Index>, "SUNDIALS must have 64-bit indices");
static_assert(std::is_same_v<realtype, double>, "SUNDIALS must be built in double precision");

struct SundialsDeleter {
  void operator()(std::remove_pointer_t<SUNContext>* context) const { SUNContext_Free(&context); }
  void operator()(std::remove_pointer_t<N_Vector>* vector) const { N_VDestroy(vector); }
  void operator()(std::remove_pointer_t<SUNMatrix>* matrix) const { SUNMatDestroy(matrix); }
  void operator()(std::remove_pointer_t<SUNLinearSolver>* solver) const { SUNLinSolFree(solver); }
  void operator()(std::remove_pointer_t<SUNNonlinearSolver>* solver) const {
    SUNNonlinSolFree(solver);
  }
};

template <class Handle>
using SundialsOwner = std::unique_ptr<std::remove_pointer_t<Handle>, SundialsDeleter>;
using ContextOwner = SundialsOwner<SUNContext>;
using VectorOwner = SundialsOwner<N_Vector>;
using MatrixOwner = SundialsOwner<SUNMatrix>;
using LinearSolverOwner = SundialsOwner<SUNLinearSolver>;
using NonlinearSolverOwner = SundialsOwner<SUNNonlinearSolver>;

struct IdaDeleter {
  void operator()(void* memory) const { IDAFree(&memory); }
};
using IdaOwner = std::unique_ptr<void, IdaDeleter>;

struct CvodeDeleter {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
using CvodeOwner = std::unique_ptr<void, CvodeDeleter>;

/// SUNDIALS refuses a call only when we break its rules or memory runs out.
inline void require_success(int flag, const char* call) {
  if (flag < 0) {
    throw Error(ErrorCode::internal,
                std::string(call) + " failed with code " + std::to_string(flag) + ".");
  }
}

template <class Pointer>
Pointer require_created(Pointer pointer, const char* call) {
  if (pointer == nullptr) throw Error(ErrorCode::internal, std::string(call) + " failed.");
  return pointer;
}

/// An error handler for IDA and CVODE: their messages go to the LogSink that `sink` points to.
/// What they call errors are facts for the log; the StepReport says what they mean.
extern "C" void forward_to_log(int code, const char* module, const char* function, char* message,
                               void* sink);

inline ContextOwner make_context() {
  SUNContext context = nullptr;
  require_success(SUNContext_Create(nullptr, &context), "SUNContext_Create");
  return ContextOwner(context);
}

inline VectorOwner make_vector(Index n, const ContextOwner& context) {
  return VectorOwner(require_created(N_VNew_Serial(n, context.get()), "N_VNew_Serial"));
}

/// A vector without storage of its own: N_VSetArrayPointer tells it where to look.
inline VectorOwner make_alias_vector(Index n, const ContextOwner& context) {
  return VectorOwner(require_created(N_VNewEmpty_Serial(n, context.get()), "N_VNewEmpty_Serial"));
}

inline std::span<double> view(N_Vector vector) {
  return {NV_DATA_S(vector), to_size(NV_LENGTH_S(vector))};
}
inline std::span<double> view(const VectorOwner& vector) {
  return view(vector.get());
}

}  // namespace daedal::integration
