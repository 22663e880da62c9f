#include <fmt/format.h>

#include "sim/experiment/run_experiment.h"
#include "sim/memory/l2/policy.h"
#include "sim/study/published/reproduction.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kRows[] = {2048, 4096, 8192, 16384, 32768};
constexpr std::uint32_t kTileRows = 24;  // configs/experiments/swiglu_add.yaml

struct Execution {
  const char* name;
  const char* config;
};
constexpr Execution kWays[] = {{"serial", "kernel"}, {"interleaved", "static"}, {"dynamic", "dynamic"}};

// SwiGLU, then Add, on one device's AIVs.
class SwiGluAdd final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override;

 private:
  static void add(const Setting& setting, std::uint32_t rows, const Execution& execution,
                  const std::string& variant, const std::string& override, Reproduced& result);
};

void SwiGluAdd::add(const Setting& setting, std::uint32_t rows, const Execution& execution,
                    const std::string& variant, const std::string& override, Reproduced& result) {
  const nlohmann::ordered_json kase{{"rows", rows}, {"execution", execution.name}};
  if (!setting.wants(kase)) return;
  std::vector<std::string> own{fmt::format("swiglu_add.rows={}", rows),
                               fmt::format("experiment.execution={}", execution.config)};
  if (!override.empty()) own.push_back(override);
  const Experiment experiment = setting.load("swiglu_add", own);
  const RunResult run = run_experiment(experiment, false).front().run;
  const std::string& hardware = experiment.hardware.name;
  result.points.push_back({kase, "latency", "us", microseconds(run.makespan), hardware, variant});
  result.points.push_back(
      {kase, "l2_read_hit_rate", "fraction", run.ranks.front().l2.read.hit_rate(), hardware, variant});
}

Reproduced SwiGluAdd::run(const Setting& setting) const {
  // What the default leaves open: policies of the L2, what it holds at the start, the height of a tile, how
  // many AIVs run tasks.
  std::vector<std::pair<std::string, std::string>> variants;
  for (const auto& [name, policy] : Registry<L2Policy>::all()) {
    if (name != L2Spec{}.policy) variants.emplace_back(name, "l2.policy=" + name);
  }
  for (const char* start : {"cold", "warm"}) {
    variants.emplace_back(fmt::format("l2 {}", start), fmt::format("l2.start={}", start));
  }
  for (const std::uint32_t tile : {16, 48, 128}) {
    variants.emplace_back(fmt::format("tiles of {} rows", tile),
                          fmt::format("swiglu_add.tile_rows={}", tile));
  }
  variants.emplace_back("25 AIV", "workers.aiv=25");

  Reproduced result;
  for (const std::uint32_t rows : kRows) {
    for (const Execution& execution : kWays) {
      add(setting, rows, execution, "", "", result);
      if (!setting.variants) continue;
      for (const auto& [name, override] : variants) {
        if (setting.leaves_open(override)) add(setting, rows, execution, name, override, result);
      }
      // The height of a tile is inferred; as well, the number of tiles may be what does not change.
      const std::string higher = fmt::format("swiglu_add.tile_rows={}", kTileRows * rows / kRows[0]);
      if (setting.leaves_open(higher))
        add(setting, rows, execution, "tiles in constant number", higher, result);
    }
  }
  result.heading = "SwiGLU on rows x 4096, then Add on rows x 2048, on the AIVs of one device\n";
  return result;
}

A3SIM_REGISTER(Reproduction, "swiglu_add", "SwiGLU and Add serial, tile-interleaved, dynamic", SwiGluAdd);

}  // namespace
}  // namespace a3sim
