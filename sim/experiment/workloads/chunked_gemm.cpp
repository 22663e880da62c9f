#include "models/graph/chunked_gemm.h"

#include <fmt/format.h>

#include "models/operators/matmul.h"
#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

// Each chunk has operators of its own, and schedules number operators in 16 bits.
void check_chunks(const Config& config, const ChunkedGemm& gemm) {
  constexpr std::uint64_t kMostOperators = 65535;
  const std::uint64_t chunks = (std::uint64_t{gemm.rows} + gemm.chunk_rows - 1) / gemm.chunk_rows,
                      of_chunk = gemm.meets ? 9 : 3;
  if (chunks * of_chunk + of_chunk <= kMostOperators) return;
  config.error(
      "chunk_tiles",
      fmt::format("{} chunks of {} operators each, expected at most {} operators: make chunks larger", chunks,
                  of_chunk, kMostOperators));
}

// Reads a product of a tensor-parallel group whose rows are gathered chunk by chunk beside it.
void read_chunked_gemm(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("gemm");
  constexpr std::int64_t kMostRanks = 64;
  const auto size = [&](std::string_view key, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(config.integer(key, least, most));
  };
  ChunkedGemm gemm;
  gemm.rows = size("rows", 1, kMostShape);
  gemm.n = size("n", 1, kMostShape);
  gemm.k = size("k", 1, kMostShape);
  gemm.ranks = size("ranks", 2, kMostRanks);
  constexpr std::int64_t kMostBase = 65535;
  const std::int64_t base = root.map("tiling").integer("base_m", 1, kMostBase, Tiling{}.base_m);
  gemm.chunk_rows = static_cast<std::uint32_t>(base * config.integer("chunk_tiles", 1, 65536));
  constexpr std::int64_t kMostGroups = 4096;
  gemm.groups = static_cast<std::uint32_t>(root.map("cut").integer("partitions", 1, kMostGroups, 1));
  gemm.transposed = config.boolean("transposed", true);
  gemm.meets = config.boolean("meets", false);
  gemm.part = config.choice("part", ChunkedGemm::Part::kAll);
  gemm.dtype = read_dtype(config);
  gemm.result = config.choice("out", gemm.dtype);
  gemm.rewriters = experiment.workers.count(CoreUnit::kVector);
  check_chunks(config, gemm);
  bool fits = gives(gemm.dtype, gemm.result) && !config.is_wrong("chunk_tiles");
  if (!gives(gemm.dtype, gemm.result))
    config.error("out",
                 fmt::format("a product of {} does not give {}", name_of(gemm.dtype), name_of(gemm.result)));
  if (gemm.groups > 1 && (gemm.chunk_rows % gemm.groups != 0 || gemm.rows % gemm.chunk_rows != 0 ||
                          gemm.rows % (gemm.chunk_rows / gemm.groups * gemm.ranks) != 0)) {
    fits = false;
    root.map("cut").error(
        "partitions",
        fmt::format(
            "{} groups of chunks of {} rows, expected whole rows, and of all {} rows as many groups as "
            "{} ranks divide",
            gemm.groups, gemm.chunk_rows, gemm.rows, gemm.ranks));
  }
  const double all = 1.0 * gemm.rows * gemm.ranks;
  check_fits_memory(config, experiment.hardware.memory.hbm_size, {"rows", "n", "k"},
                    (all * gemm.k + 2 * all * gemm.n + 2.0 * gemm.k * gemm.n) * element_bytes(gemm.dtype));
  config.finish();
  experiment.parallel.tp_stride = 1;
  experiment.parallel.ep = experiment.shape.ep = gemm.ranks;
  experiment.shape.dtype = gemm.dtype;
  if (fits) experiment.passes.push_back({"chunked_gemm", chunked_gemm_graph(gemm)});
  constexpr std::string_view kWhat[] = {
      "each multiplied by [{} x {}] as the others' rows come, in chunks of {} rows per rank",
      "all multiplied by [{} x {}], without the gather",
      "gathered alone: no product with [{} x {}]; in chunks of {} rows per rank"};
  experiment.latency_definition =
      fmt::format("{} ranks' {} rows of {} each, ", gemm.ranks, gemm.rows, gemm.k) +
      fmt::format(fmt::runtime(kWhat[static_cast<std::size_t>(gemm.part)]), gemm.k, gemm.n, gemm.chunk_rows);
}

A3SIM_REGISTER(Workload, "chunked_gemm", "a product whose rows are gathered from a group chunk by chunk",
               Workload{read_chunked_gemm});

}  // namespace
}  // namespace a3sim
