#include <fmt/format.h>

#include "sim/experiment/run_experiment.h"
#include "sim/study/published/reproduction.h"

namespace a3sim {
namespace {

struct Shape {
  std::uint32_t m, n, k;
  std::uint32_t experts = 0;
};

// Square products, the two of an expert of the HyperParallel-MoE paper, and a public grouped one: 1,024 rows
// of 32 experts together (that many each would be 1.5 PFLOPS, four times what a die can).
constexpr Shape kShapes[] = {
    {1024, 1024, 1024}, {1536, 1536, 1536}, {2048, 2048, 2048},  {3072, 3072, 3072},    {4096, 4096, 4096},
    {6144, 6144, 6144}, {7680, 7680, 7680}, {8192, 8192, 8192},  {12288, 12288, 12288}, {16384, 16384, 16384},
    {4096, 4096, 7168}, {4096, 7168, 2048}, {30720, 1024, 4096}, {1024, 2048, 4096, 32}};

// What the default leaves open: what measurements find in the L2, in which order kernels go through their
// blocks.
constexpr std::pair<const char*, const char*> kVariants[] = {{"l2 cold", "l2.start=cold"},
                                                             {"l2 used", "l2.start=used"},
                                                             {"row-major blocks", "tiling.order=row_major"}};

class GemmKernels final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override;

 private:
  static void add(const Setting& setting, const Shape& shape, const char* dtype, const std::string& variant,
                  const std::string& override, Reproduced& result);
};

void GemmKernels::add(const Setting& setting, const Shape& shape, const char* dtype,
                      const std::string& variant, const std::string& override, Reproduced& result) {
  nlohmann::ordered_json kase{{"m", shape.m}, {"n", shape.n}, {"k", shape.k}, {"dtype", dtype}};
  if (shape.experts > 0) kase["experts"] = shape.experts;
  if (!setting.wants(kase)) return;
  std::vector<std::string> own{
      fmt::format("gemm.m={}", shape.m), fmt::format("gemm.n={}", shape.n), fmt::format("gemm.k={}", shape.k),
      fmt::format("gemm.experts={}", shape.experts), fmt::format("gemm.dtype={}", dtype)};
  if (!override.empty()) own.push_back(override);
  const Experiment experiment = setting.load("gemm", own);
  const RunResult run = run_experiment(experiment, false).front().run;
  const double time = seconds(run.makespan), flops = 2.0 * shape.m * shape.n * shape.k;
  const L2Traffic::Requests& reads = run.ranks.front().l2.read;
  const std::string& hardware = experiment.hardware.name;
  result.points.push_back({kase, "tflops", "TFLOPS", flops / time * 1e-12, hardware, variant});
  result.points.push_back({kase, "latency", "us", time * 1e6, hardware, variant});
  result.points.push_back({kase, "l2_read_hit_rate", "fraction", reads.hit_rate(), hardware, variant});
}

Reproduced GemmKernels::run(const Setting& setting) const {
  Reproduced result;
  for (const char* dtype : {"fp16", "bf16"}) {
    for (const Shape& shape : kShapes) {
      add(setting, shape, dtype, "", "", result);
      if (!setting.variants) continue;
      for (const auto& [variant, override] : kVariants) {
        if (setting.leaves_open(override)) add(setting, shape, dtype, variant, override, result);
      }
    }
  }
  result.heading =
      "Matrix products as kernels of all cubes that software sees, repeated on the same memory\n";
  return result;
}

A3SIM_REGISTER(Reproduction, "gemm", "matrix products: TFLOPS, latency, L2 hit rate", GemmKernels);

}  // namespace
}  // namespace a3sim
