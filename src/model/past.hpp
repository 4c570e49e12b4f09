// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What ModelBuilder::delay() and transport() add to a model.

#include "model/model_data.hpp"

namespace daedal {

/// A builder and what it has built so far.
struct BuilderAccess {
  ModelBuilder& builder;
  Model::Data& data;
};

Expr delayed(const BuilderAccess& access, const Expr& variable, double seconds);
Expr delayed(const BuilderAccess& access, const Expr& variable, const Expr& seconds,
             double longest);
std::pair<Expr, Expr> transported(const BuilderAccess& access, const Transport& flow);

}  // namespace daedal
