#include <fmt/format.h>

#include "sim/experiment/run_experiment.h"
#include "sim/study/published/reproduction.h"

namespace a3sim {
namespace {

// One measurement of an elementwise operator on rows x cols of fp16.
struct Measurement {
  const char* type;
  std::uint32_t rows, cols;
  std::uint32_t sweeps = 1, slices = 1;
  const char* reads = "normal";  // the hint of its reads
  const char* start = "cold";
};

// Public measurements of bandwidth: examples that are profiled once begin with a clean L2, benchmarks that
// repeat find it used.
class Bandwidth final : public Reproduction {
 public:
  Bandwidth(std::string heading, std::vector<Measurement> measurements)
      : heading_(std::move(heading)), measurements_(std::move(measurements)) {}

  Reproduced run(const Setting& setting) const override {
    Reproduced result;
    result.heading = heading_;
    for (const Measurement& measurement : measurements_) {
      add(setting, measurement, "", result);
      if (!setting.variants) continue;
      for (const std::string start : {"cold", "warm", "used"}) {
        Measurement other = measurement;
        other.start = start.c_str();
        if (start != measurement.start) add(setting, other, "l2 " + start, result);
      }
    }
    return result;
  }

 private:
  static nlohmann::ordered_json case_of(const Measurement& m) {
    nlohmann::ordered_json kase{{"operator", m.type}, {"rows", m.rows}, {"cols", m.cols}, {"dtype", "fp16"}};
    if (m.sweeps > 1) kase["sweeps"] = m.sweeps;
    if (m.slices > 1) kase["slices"] = m.slices;
    if (m.reads != std::string("normal")) kase["reads"] = m.reads;
    return kase;
  }

  static void add(const Setting& setting, const Measurement& m, const std::string& variant,
                  Reproduced& result) {
    const nlohmann::ordered_json kase = case_of(m);
    if (!setting.wants(kase)) return;
    std::vector<std::string> own{
        fmt::format("elementwise.operator={}", m.type), fmt::format("elementwise.rows={}", m.rows),
        fmt::format("elementwise.cols={}", m.cols),     fmt::format("elementwise.sweeps={}", m.sweeps),
        fmt::format("elementwise.slices={}", m.slices), fmt::format("l2.start={}", m.start)};
    if (kase.contains("reads")) own.push_back(fmt::format("l2.hints.{}.read={}", m.type, m.reads));
    const Experiment experiment = setting.load("elementwise", own);
    const RunResult run = run_experiment(experiment, false).front().run;
    const RankResult& rank = run.ranks.front();
    const std::string& hardware = experiment.hardware.name;
    result.points.push_back({kase, "latency", "us", microseconds(run.makespan), hardware, variant});
    result.points.push_back({kase, "bandwidth", "TB/s",
                             (rank.l2_read + rank.l2_write) / seconds(run.makespan) * 1e-12, hardware,
                             variant});
    result.points.push_back(
        {kase, "l2_read_hit_rate", "fraction", rank.l2.read.hit_rate(), hardware, variant});
  }

  std::string heading_;
  std::vector<Measurement> measurements_;
};

A3SIM_REGISTER(Reproduction, "copy", "bandwidth of reads and copies, hits of repeated reads",
               Bandwidth("Reads and copies as kernels of all AIVs that software sees\n",
                         std::vector<Measurement>{
                             {.type = "Load", .rows = 12288, .cols = 12288},
                             {.type = "Load", .rows = 12288, .cols = 12288, .sweeps = 4},
                             {.type = "Load", .rows = 12288, .cols = 12288, .sweeps = 4, .slices = 4},
                             {.type = "Load", .rows = 12288, .cols = 12287},
                             {.type = "Copy", .rows = 16384, .cols = 8192, .start = "used"},
                         }));

A3SIM_REGISTER(Reproduction, "add",
               "elementwise operators: Add with and without the L2 for its inputs, SwiGLU",
               Bandwidth("Elementwise operators as kernels of all AIVs that software sees\n",
                         std::vector<Measurement>{
                             {.type = "Add", .rows = 8192, .cols = 8192},
                             {.type = "Add", .rows = 8192, .cols = 8192, .reads = "bypass"},
                             {.type = "SwiGLU", .rows = 16384, .cols = 16384, .start = "used"},
                         }));

}  // namespace
}  // namespace a3sim
