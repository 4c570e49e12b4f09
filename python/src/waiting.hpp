// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Long work for Python: it runs in a thread of its own without the interpreter lock, while the
/// calling thread looks for Ctrl-C and shows progress.

#include <atomic>
#include <functional>

#include "bindings.hpp"

namespace daedal::python {

/// What the worker tells while it runs.
struct RunState {
  std::atomic<bool> cancel{false};
  std::atomic<double> fraction{0.0};
  std::atomic<double> time{0.0};
  std::atomic<std::int64_t> steps{0};
};

/// Runs `work` to its end; exceptions of it pass through. `tick`, where it is not None, is called
/// with fraction, time and steps every tenth of a second. Where a signal handler or `tick` raises,
/// `state.cancel` is set, the work ends with what it has, and what was raised is returned;
/// otherwise None.
py::object run_in_thread(const std::function<void()>& work, RunState& state,
                         const py::object& tick);

}  // namespace daedal::python
