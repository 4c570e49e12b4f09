// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace daedal::python {

namespace {

/// Signals are looked at this often: a run shall end well within 0.2 s of Ctrl-C.
constexpr auto look_every = std::chrono::milliseconds(20);
/// Every fifth look shows progress.
constexpr int looks_per_tick = 5;

/// What the interpreter has to say: whether a signal handler raised, or `tick` did, and what.
/// Python objects are touched while the lock is held, None among them.
bool has_raised(const RunState& state, const py::object& tick, bool is_tick, py::object& raised) {
  const py::gil_scoped_acquire acquire;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (is_tick && !tick.is_none()) {
      tick(state.fraction.load(), state.time.load(), state.steps.load());
    }
  } catch (py::error_already_set& error) {
    raised = error.value();
    return true;
  }
  return false;
}

}  // namespace

py::object run_in_thread(const std::function<void()>& work, RunState& state,
                         const py::object& tick) {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  std::exception_ptr failure;
  py::object raised = py::none();
  {
    const py::gil_scoped_release release;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    for (int i = 1; !ended.wait_for(lock, look_every, [&] { return is_done; }); ++i) {
      if (state.cancel.load()) continue;
      lock.unlock();
      if (has_raised(state, tick, i % looks_per_tick == 0, raised)) state.cancel = true;
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (failure) std::rethrow_exception(failure);
  return raised;
}

}  // namespace daedal::python
