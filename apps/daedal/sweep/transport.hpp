// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace daedal::app {

/// Messages between the processes of a sweep. Used by one thread; a process that has died is
/// silent, and what is sent to it is lost.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Returns at once.
  virtual void send(int to, std::string message) = 0;
  /// A message that has arrived, in any order; false where there is none.
  [[nodiscard]] virtual bool receive(int& from, std::string& message) = 0;
  /// Ends the program, in all processes together. If some have died, `is_whole` is false in all
  /// others and none of them waits.
  virtual void close(bool is_whole) = 0;
};

/// What the plug-in of MPI has: opens the transport between the processes that mpirun has started.
extern "C" Transport* daedal_open_transport();

}  // namespace daedal::app
