#include "sim/experiment/config/ffn_form_config.h"

#include <fmt/format.h>

namespace a3sim {

FfnForm read_ffn_form(const Config& root, const Config& block, const Experiment& experiment,
                      std::uint64_t tokens) {
  constexpr std::int64_t kMost = 64;
  FfnForm form;
  form.batches = static_cast<std::uint32_t>(block.integer("batches", 1, kMost, 1));
  if (tokens % form.batches != 0) {
    root.map("model").error("tokens",
                            fmt::format("{} micro-batches do not divide {} tokens", form.batches, tokens));
    form.batches = 1;
  }
  form.columns = static_cast<std::uint32_t>(block.integer("columns", 1, kMost, 1));
  if (experiment.shape.hidden % form.columns != 0) {
    root.map("model").error("hidden", fmt::format("{} blocks of columns do not divide {}", form.columns,
                                                  experiment.shape.hidden));
    form.columns = 1;
  }
  form.dispatch = block.choice("dispatch", RowExchange::kPush);
  if (form.dispatch != RowExchange::kPush && experiment.run.transport != Transport::kPuts)
    block.error(
        "dispatch",
        "the host's collectives exchange counts themselves: expected push, or communication one_sided");
  return form;
}

}  // namespace a3sim
