// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/model_run.hpp"

#include <utility>

namespace daedal::formulation {

std::vector<kernel::Input> held_inputs(const Model& model, Pool& pool, const HeldBlocks& blocks) {
  std::vector<kernel::Input> inputs{{pool.time(), blocks.time, 0}};
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    inputs.push_back({pool.parameter(static_cast<SymbolId>(i)), blocks.parameters, to_index(i)});
  }
  for (std::size_t i = 0; i < model.discretes().size(); ++i) {
    inputs.push_back({pool.discrete(static_cast<SymbolId>(i)), blocks.discretes, to_index(i)});
    inputs.push_back({pool.pre(static_cast<SymbolId>(i)), blocks.pre, to_index(i)});
  }
  for (std::int32_t id = 0; id < model.pool()->n_relations(); ++id) {
    inputs.push_back({pool.relation_node(id), blocks.modes, id});
  }
  return inputs;
}

std::vector<kernel::Input> model_inputs(const Model& model, Pool& pool) {
  std::vector<kernel::Input> inputs = held_inputs(model, pool,
                                                  {.time = block_time,
                                                   .parameters = block_parameters,
                                                   .modes = block_modes,
                                                   .discretes = block_discretes,
                                                   .pre = block_pre});
  const auto bind = [&](NodeId leaf, Block block, std::size_t offset) {
    inputs.push_back({.leaf = leaf, .block = block, .offset = to_index(offset)});
  };
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    const auto symbol = static_cast<SymbolId>(i);
    bind(pool.variable(symbol), block_values, i);
    bind(pool.variable(symbol, 1), block_derivatives, i);
    bind(pool.pre_variable(symbol), block_pre_values, i);
  }
  for (std::size_t i = 0; i < model.samplers().size(); ++i)
    bind(pool.sample(static_cast<SymbolId>(i)), block_samples, i);
  bind(pool.initial(), block_phase, 0);
  bind(pool.terminal(), block_phase, 1);
  return inputs;
}

NodeId start_node(const Variable& variable, Pool& pool) {
  return variable.start == no_node ? pool.constant(0.0) : variable.start;
}

ModelRun::ModelRun(const Model& model, std::span<const double> parameter_values)
    : parameters(parameter_values.begin(), parameter_values.end()),
      starts(model.variables().size()),
      values(model.variables().size()),
      derivatives(values.size()),
      pre_values(values.size()),
      samples(model.samplers().size()) {
  modes.resize(static_cast<std::size_t>(model.pool()->n_relations()));
  discretes.resize(model.discretes().size());
  pre.resize(discretes.size());
}

std::array<const double*, n_blocks> ModelRun::blocks(const double& t,
                                                     std::span<const double> model_values,
                                                     std::span<const double> model_derivatives) {
  return {&t,
          model_values.data(),
          model_derivatives.data(),
          parameters.data(),
          modes.data(),
          discretes.data(),
          pre.data(),
          pre_values.data(),
          samples.data(),
          phase.data()};
}

void ModelRun::take_from(ModelRun& other) {
  modes = other.modes;
  discretes = other.discretes;
  pre = other.pre;
  failure = other.failure;
  warnings = other.warnings;
  parameters = other.parameters;
  values = other.values;
  derivatives = other.derivatives;
  pre_values = other.pre_values;
  samples = other.samples;
  phase = other.phase;
  events = std::move(other.events);
}

EventState event_state(const Run& run) {
  const auto& own = run_of<ModelRun>(run);
  const EventMemory& memory = own.events;
  return {.modes = own.modes,
          .discretes = own.discretes,
          .pre = own.pre,
          .pre_values = own.pre_values,
          .crossed = memory.crossed,
          .conditions = memory.conditions,
          .stretch_ends = memory.stretch_ends,
          .n_hasty = {memory.n_hasty.begin(), memory.n_hasty.end()},
          .n_taken = memory.n_taken,
          .next_rows = {memory.next_rows.begin(), memory.next_rows.end()},
          .warned = {memory.warned.begin(), memory.warned.end()},
          .histories = memory.histories};
}

void resume_events(EventState state, Run& run) {
  run_of<ModelRun>(run).resumed = std::move(state);
}

Evaluation note_failure(Status status, std::string detail, Run& run, std::int64_t row) {
  run.failure = {status, row, std::move(detail)};
  return status == Status::non_finite_value ? Evaluation::recoverable : Evaluation::fatal;
}

}  // namespace daedal::formulation
