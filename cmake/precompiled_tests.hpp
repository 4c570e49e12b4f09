// SPDX-License-Identifier: BSD-3-Clause
// What most tests include, parsed once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled_layers.hpp"
