// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <daedal/error.hpp>

namespace daedal::test {

/// The error that an action throws; a test failure, and an empty error, when it throws none.
template <class E, class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::internal, "nothing was thrown");
}

}  // namespace daedal::test
