// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A value, or the Error that says why there is none, for callers that choose another way then.

#include <daedal/error.hpp>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace daedal {

template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}

  /// The result of make(), or the Error that it throws.
  template <class Make>
  static Expected from(Make&& make) {
    try {
      return make();
    } catch (const Error& error) {
      return Expected(error);
    }
  }

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }

  /// The code and the sentence of the error. There must be no value.
  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  /// The value; throws the error where there is none.
  [[nodiscard]] const T& get() const& {
    if (!value_) std::rethrow_exception(error_);
    return *value_;
  }
  [[nodiscard]] T get() && {
    if (!value_) std::rethrow_exception(error_);
    return std::move(*value_);
  }

 private:
  /// Called by the handler of `error` only.
  explicit Expected(const Error& error)
      : code_(error.code()), message_(error.what()), error_(std::current_exception()) {}

  std::optional<T> value_;
  ErrorCode code_{};
  std::string message_;
  std::exception_ptr error_;
};

}  // namespace daedal
