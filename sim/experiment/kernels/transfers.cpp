#include <utility>

#include "sim/core/error.h"
#include "sim/experiment/kernels/kernel.h"

// Bytes between devices.
namespace a3sim {
namespace {

// A copy to another device by a copy engine, from its start on the engine.
KernelKind::Write read_copy(const Config& config) {
  const auto bytes = static_cast<std::int64_t>(read_size(config, "bytes"));
  return [bytes](KernelCost& cost) {
    const auto& engine = cost.hardware().copy_engine;
    if (!engine)
      throw InputError("kernel.kind: a copy needs hardware.copy_engine, which the machine has not");
    KernelWork work;
    work.program = {2, {{"copy engine", engine->count}}, {}, {"COPIES"}};
    StreamTask task{.name = "copy", .units = 1, .hold = engine->startup};
    task.transfers = {{RankId{1}, Bytes{bytes}, engine->rate}};
    work.program.add(std::move(task));
    return work;
  };
}

// An all-to-all of ranks that each send so many bytes, including their own part.
KernelKind::Write read_all_to_all(const Config& config) {
  const std::uint32_t ranks = static_cast<std::uint32_t>(config.integer("ranks", 2, 4096));
  const auto bytes = static_cast<std::int64_t>(read_size(config, "bytes"));
  return [ranks, bytes](KernelCost& cost) {
    const Program::Collective& spec = cost.program().collective;
    KernelWork work;
    work.program = {
        ranks, {{"cores", cost.hardware().workers.count(CoreUnit::kMatrix)}}, {}, {"COLLECTIVES"}};
    for (std::uint32_t r = 0; r < ranks; ++r) {
      StreamTask task{.name = "all-to-all", .rank = RankId{r}};
      task.hold = spec.fixed + spec.per_peer * (ranks - 1);
      for (std::uint32_t dst = 0; dst < ranks; ++dst) {
        if (dst != r) task.transfers.push_back({RankId{dst}, Bytes{bytes / ranks}, spec.rate});
      }
      work.program.add(std::move(task));
    }
    return work;
  };
}

A3SIM_REGISTER(KernelKind, "copy", "a copy to another device by a copy engine",
               KernelKind{read_copy, {"bytes"}});
A3SIM_REGISTER(KernelKind, "all_to_all", "the host's all-to-all",
               KernelKind{read_all_to_all, {"ranks", "bytes"}});

}  // namespace
}  // namespace a3sim
