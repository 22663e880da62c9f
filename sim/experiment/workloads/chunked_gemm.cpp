#include "models/graph/chunked_gemm.h"

#include <fmt/format.h>

#include "models/operators/matmul.h"
#include "sim/experiment/workload.h"

namespace a3sim {
namespace {

// A product of a tensor-parallel group whose rows are gathered chunk by chunk beside it.
void read_chunked_gemm(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("chunked_gemm");
  constexpr std::int64_t kMostRanks = 64;
  const auto size = [&](std::string_view key, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(config.integer(key, least, most));
  };
  ChunkedGemm of;
  of.rows = size("rows", 1, kMostShape);
  of.n = size("n", 1, kMostShape);
  of.k = size("k", 1, kMostShape);
  of.ranks = size("ranks", 2, kMostRanks);
  constexpr std::int64_t kMostBase = 65535;
  const std::int64_t base = root.map("tiling").integer("base_m", 1, kMostBase, Tiling{}.base_m);
  of.chunk_rows = static_cast<std::uint32_t>(base * config.integer("chunk_tiles", 1, 65536));
  constexpr std::int64_t kMostGroups = 4096;
  of.groups = static_cast<std::uint32_t>(root.map("cut").integer("partitions", 1, kMostGroups, 1));
  of.transposed = config.boolean("transposed", true);
  of.part = config.choice("part", ChunkedGemm::Part::kAll);
  of.dtype = read_dtype(config);
  of.result = config.choice("out", of.dtype);
  of.rewriters = experiment.workers.count(CoreUnit::kVector);
  bool fits = gives(of.dtype, of.result);
  if (!fits)
    config.error("out",
                 fmt::format("a product of {} does not give {}", name_of(of.dtype), name_of(of.result)));
  if (of.groups > 1 && (of.chunk_rows % of.groups != 0 || of.rows % of.chunk_rows != 0 ||
                        of.rows % (of.chunk_rows / of.groups * of.ranks) != 0)) {
    fits = false;
    root.map("cut").error(
        "partitions",
        fmt::format(
            "{} groups of chunks of {} rows, expected whole rows, and of all {} rows as many groups as "
            "{} ranks divide",
            of.groups, of.chunk_rows, of.rows, of.ranks));
  }
  const double all = 1.0 * of.rows * of.ranks;
  check_fits_memory(config, "rows", all * of.k + 2 * all * of.n + 2.0 * of.k * of.n, of.dtype);
  config.finish();
  experiment.parallel.tp_stride = 1;
  experiment.parallel.ep = experiment.shape.ep = of.ranks;
  experiment.shape.dtype = of.dtype;
  if (fits) experiment.passes.push_back({"chunked_gemm", chunked_gemm_graph(of)});
  constexpr std::string_view kWhat[] = {
      "each multiplied by [{} x {}] as the others' rows come, in chunks of {} rows a rank",
      "all multiplied by [{} x {}], without the gather",
      "gathered alone: no product with [{} x {}]; in chunks of {} rows a rank"};
  experiment.timed =
      fmt::format("{} ranks' {} rows of {} each, ", of.ranks, of.rows, of.k) +
      fmt::format(fmt::runtime(kWhat[static_cast<std::size_t>(of.part)]), of.k, of.n, of.chunk_rows);
}

A3SIM_REGISTER(Workload, "chunked_gemm", "a product whose rows are gathered from a group chunk by chunk",
               Workload{read_chunked_gemm});

}  // namespace
}  // namespace a3sim
