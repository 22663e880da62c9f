#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/check/data_case.h"
#include "sim/core/config/quantity.h"

namespace a3sim {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint32_t kShrink = 32;  // base blocks of 128 x 256 become 4 x 8
constexpr std::uint32_t kShares = 3, kChunk = 4, kTaskRows = 5;
constexpr std::uint32_t kMostPartitions = 4;
constexpr std::uint32_t kMostRanks = 16;  // in larger groups, each pair of ranks has its own rows

// Returns at least 2, so that blocks can be ragged.
std::uint16_t shrunk(std::uint16_t size) {
  return static_cast<std::uint16_t>(std::max<unsigned>(std::min<unsigned>(size, 2), size / kShrink));
}

Tiling shrunk(Tiling tiling) {
  tiling.base_m = shrunk(tiling.base_m);
  tiling.base_n = shrunk(tiling.base_n);
  tiling.base_k = shrunk(tiling.base_k);
  return tiling;
}

// Returns the graph with blocks and tasks of its operators shrunk.
Graph shrunk(const Graph& graph) {
  Graph small;
  for (const TensorNode& tensor : graph.tensors()) small.add_tensor(tensor);
  for (OperatorNode node : graph.operators()) {
    if (node.tiling) node.tiling = shrunk(*node.tiling);
    if (node.cut) {
      node.cut->shares = std::min(node.cut->shares, kShares);
      node.cut->chunk = std::min(node.cut->chunk, kChunk);
      node.cut->task_rows = std::min(node.cut->task_rows, kTaskRows);
    }
    small.add_operator(std::move(node));
  }
  return small;
}

// The smallest sizes that show the structure. No size grows.
struct SmallShape {
  std::uint32_t tokens, hidden, intermediate;
};

SmallShape small_shape(const MoeShape& shape, const Tiling& configured, std::uint32_t partitions) {
  const Tiling tiling = shrunk(configured);
  // Six block rows per tile, the last one ragged: from six on, blocks are not walked only row by row.
  const std::uint32_t tile_rows = 5 * tiling.base_m + 2;
  // Partitions are ragged: the last one is a row short.
  const std::uint32_t expert_rows = partitions * (tile_rows + 1) - 1;
  // A slot has two whole chunks and part of a third.
  std::uint32_t slot = std::max((expert_rows + shape.ep - 1) / shape.ep, 2 * kChunk + 2);
  if (slot % kChunk == 0) ++slot;
  const std::uint64_t tokens = (std::uint64_t{slot} * shape.experts() + shape.top_k - 1) / shape.top_k;
  // Three block columns, the last one ragged.
  const std::uint32_t narrow = 2 * tiling.base_n + std::max(1, tiling.base_n / 4),
                      wide = 2 * tiling.base_n + std::max(1, 3 * tiling.base_n / 4);
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, shape.tokens)),
          std::min(wide, shape.hidden), std::min(narrow, shape.intermediate)};
}

void set(std::vector<std::string>& overrides, const char* key, std::uint32_t value) {
  overrides.push_back(fmt::format("{}={}", key, value));
}

void set_cut(std::vector<std::string>& overrides, const Experiment& experiment, std::uint32_t partitions) {
  set(overrides, "cut.shares", std::min(experiment.cut.shares, kShares));
  set(overrides, "cut.partitions", partitions);
  set(overrides, "cut.chunk", std::min(experiment.cut.chunk, kChunk));
  set(overrides, "cut.task_rows", std::min(experiment.cut.task_rows, kTaskRows));
  for (const Pass& pass : experiment.passes) {
    const auto set_own = [&](const char* key, std::uint32_t own, std::uint32_t most) {
      if (own > 0)
        overrides.push_back(fmt::format("cut.passes.{}.{}={}", pass.name, key, std::min(own, most)));
    };
    set_own("partitions", pass.cut.partitions, kMostPartitions);
    set_own("chunk", pass.cut.chunk, kChunk);
    set_own("task_rows", pass.cut.task_rows, kTaskRows);
  }
  const Tiling tiling = shrunk(experiment.cut.tiling);
  set(overrides, "tiling.base_m", tiling.base_m);
  set(overrides, "tiling.base_n", tiling.base_n);
  set(overrides, "tiling.base_k", tiling.base_k);
}

// Returns a value of the resolved configuration, or nullopt if it has none.
std::optional<std::string> value_of(const Experiment& experiment, const std::string& path) {
  const auto found = std::ranges::find(experiment.values, path, &std::pair<std::string, std::string>::first);
  if (found == experiment.values.end()) return std::nullopt;
  return found->second;
}

std::uint32_t size_of(const Experiment& experiment, const std::string& path, std::uint32_t fallback) {
  const std::optional<std::string> value = value_of(experiment, path);
  return value ? static_cast<std::uint32_t>(parse_integer(*value, 0, kLargest).value) : fallback;
}

void set_model(std::vector<std::string>& overrides, const Experiment& experiment, std::uint32_t partitions) {
  MoeShape shape = experiment.shape;
  if (shape.ep > kMostRanks && shape.experts() % kMostRanks == 0 && experiment.routing.kind != "file") {
    shape.ep = kMostRanks;
    set(overrides, "parallel.ep", shape.ep);
  }
  const SmallShape small = small_shape(shape, experiment.cut.tiling, partitions);
  // Micro-batches and blocks of columns divide these sizes as they divide the configured ones.
  const std::uint32_t batches = size_of(experiment, "experiment.batches", 1),
                      columns = size_of(experiment, "experiment.columns", 1);
  set(overrides, "model.tokens", small.tokens * batches);
  set(overrides, "model.hidden", (small.hidden + columns - 1) / columns * columns);
  set(overrides, "model.intermediate", small.intermediate);
}

// Sets the sizes of a block of the configuration, each to at most a small value.
void set_sizes(std::vector<std::string>& overrides, const Experiment& experiment, const std::string& block,
               std::initializer_list<std::pair<const char*, std::uint32_t>> small) {
  for (const auto& [key, most] : small) {
    const std::string path = fmt::format("{}.{}", block, key);
    overrides.push_back(fmt::format("{}={}", path, std::min(size_of(experiment, path, most), most)));
  }
}

// True if the cut of the whole experiment is used. Measurements of vector operators have their own.
bool has_cuts(const Experiment& experiment) {
  return std::ranges::any_of(experiment.passes, [](const Pass& pass) {
    return std::ranges::any_of(pass.graph.operators(), [](const OperatorNode& node) { return !node.cut; });
  });
}

// Sets the sizes of a graph without a model, which are ragged but where the graph divides them among ranks. Vector operators alone
// have two tiles per worker and a ragged one. Sizes that cannot be small together are small where each can be.
void set_graph_sizes(std::vector<std::string>& overrides, const Experiment& experiment, std::uint32_t rows,
                     std::uint32_t width) {
  const auto fit = [&](const std::vector<std::string>& sizes) {
    try {
      experiment.with(sizes);
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  const std::uint32_t most = has_cuts(experiment) ? width : rows, ranks = experiment.shape.ep;
  std::vector<std::pair<std::string, std::uint32_t>> wanted;
  std::vector<std::string> sizes;
  for (const auto& [path, value] : experiment.values) {
    if (!path.starts_with("graph.sizes.")) continue;
    wanted.emplace_back(path, std::min(size_of(experiment, path, most), most));
    set(sizes, path.c_str(), wanted.back().second);
  }
  if (!fit(sizes)) {
    sizes.clear();
    for (const auto& [path, size] : wanted) {
      for (const std::uint32_t small : {size, (size + ranks - 1) / ranks * ranks}) {
        set(sizes, path.c_str(), small);
        if (fit(sizes)) break;
        sizes.pop_back();
      }
    }
  }
  overrides.insert(overrides.end(), sizes.begin(), sizes.end());
}

void set_shape(std::vector<std::string>& overrides, const Experiment& experiment, std::uint32_t partitions) {
  const std::string workload = value_of(experiment, "experiment.workload").value_or("moe_ffn");
  // Two tiles per worker and a ragged one.
  const std::uint32_t rows = 2 * kTaskRows * experiment.workers.count(CoreUnit::kVector) + kTaskRows - 2,
                      width = 2 * kShrink + 3;
  if (value_of(experiment, "model.tokens")) {
    set_model(overrides, experiment, partitions);
  } else if (workload == "graph") {
    set_graph_sizes(overrides, experiment, rows, width);
  } else if (workload == "elementwise") {
    const std::uint32_t slices = size_of(experiment, "elementwise.slices", 1);
    set_sizes(overrides, experiment, workload, {{"rows", rows * slices}, {"cols", width}});
  } else if (workload == "chunked_gemm") {
    set_sizes(overrides, experiment, "gemm", {{"rows", 2 * kTaskRows + 1}, {"n", width}, {"k", width}});
  }
}

// Deals an expert's rows to the tokens in turn. All go to different ones, since there are no more rows than
// tokens.
std::vector<std::uint32_t> dealt(const std::vector<std::uint32_t>& rows, const MoeShape& shape) {
  std::vector<std::uint32_t> experts(std::size_t{shape.tokens} * shape.top_k, kNone);
  std::size_t next = 0;
  for (std::uint32_t expert = 0; expert < rows.size(); ++expert) {
    for (std::uint32_t row = 0; row < rows[expert]; ++row, ++next)
      experts[next % shape.tokens * shape.top_k + next / shape.tokens] = expert;
  }
  return experts;
}

// Scales the counts of a file to fewer tokens. Zero stays zero; others stay at least one while there is
// room.
plain::Routed scaled(const RoutingCounts& counts, const MoeShape& from, const MoeShape& to) {
  plain::Routed routed;
  for (std::uint32_t src = 0; src < to.ep; ++src) {
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t count : counts.source(src))
      rows.push_back(
          static_cast<std::uint32_t>((std::uint64_t{count} * to.tokens + from.tokens - 1) / from.tokens));
    const std::uint64_t room = std::uint64_t{to.tokens} * to.top_k;
    for (std::uint64_t sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}); sum > room; --sum)
      --*std::ranges::max_element(rows);
    routed.experts.push_back(dealt(rows, to));
  }
  return routed;
}

// Formats overrides as indented lines.
std::string sizes(std::span<const std::string> small) {
  constexpr std::size_t kOverridesALine = 4;
  std::string text = "a small shape, as with";
  for (std::size_t i = 0; i < small.size(); ++i)
    text += (i % kOverridesALine == 0 ? "\n  --set " : " --set ") + small[i];
  return text;
}

DataCase small_case(const Experiment& configured, std::uint32_t partitions, std::uint64_t seed) {
  std::vector<std::string> small;
  set_shape(small, configured, partitions);
  if (has_cuts(configured)) set_cut(small, configured, partitions);
  Experiment experiment = configured.with(small);
  plain::Routed routed = configured.routing.kind == "file"
                             ? scaled(routing_of(configured), configured.shape, experiment.shape)
                             : routed_by(experiment.routing, experiment.shape);
  if (experiment.bucket_rows) {
    const RoutingCounts counts = routed.counts(experiment.shape);
    std::uint32_t most = 0;
    for (std::uint32_t src = 0; src < counts.ranks(); ++src)
      most = std::max(most, std::ranges::max(counts.source(src)));
    const std::uint32_t room = most + kChunk - 1;
    experiment.bucket_rows = room % kChunk == 0 ? room + 1 : room;
    small.push_back(fmt::format("bucket.rows={}", *experiment.bucket_rows));
  }
  DataCase result = data_case(std::move(experiment), std::move(routed), seed);
  result.shape = sizes(small);
  for (Pass& pass : result.experiment.passes) pass.graph = shrunk(pass.graph);
  return result;
}

// True if anything is partitioned.
bool has_experts_rows(const Experiment& experiment) {
  return std::ranges::any_of(experiment.passes, [](const Pass& pass) {
    return std::ranges::any_of(pass.graph.tensors(),
                               [](const TensorNode& tensor) { return tensor.layout == Layout::kReceived; });
  });
}

}  // namespace

std::vector<DataCase> small_cases(const std::filesystem::path& file, std::span<const std::string> overrides,
                                  std::uint64_t seed) {
  const Experiment configured = load_experiment(file, overrides);
  for (const std::string& list : configured.order.list_file) {
    if (list.empty()) continue;
    throw InputError(
        fmt::format("{} lists the tasks of the configured shape: check it at that shape (--full)", list));
  }
  std::vector<std::uint32_t> partitions = {std::min(configured.cut.partitions, kMostPartitions)};
  const bool by_source = configured.cut.sources > 0;  // the sources alone say how many there are
  if (partitions[0] == 1 && has_experts_rows(configured) && !by_source) partitions.push_back(2);
  std::vector<DataCase> cases;
  for (const std::uint32_t count : partitions) cases.push_back(small_case(configured, count, seed));
  return cases;
}

}  // namespace a3sim
