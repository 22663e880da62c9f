#include "models/config/model_config.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "models/config/model_shape_config.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostRanks = 1 << 16;
constexpr std::int64_t kMostExperts = 1 << 20;     // in the whole group
constexpr std::int64_t kMostLocalExperts = 65534;  // a task has 16 bits for an expert or none
constexpr std::int64_t kMostTokens = 1 << 24;
constexpr std::int64_t kWidest = 1 << 20;

std::uint32_t size(const Config& config, std::string_view key, std::int64_t most) {
  return static_cast<std::uint32_t>(config.integer(key, 1, most));
}

// Returns nullopt if the number of experts is invalid; that is already reported.
std::optional<std::uint32_t> read_experts_per_rank(const Config& config, const Parallel& parallel) {
  const std::uint32_t ep = parallel.ep;
  const auto known = [&](std::string_view key, std::int64_t most) -> std::optional<std::uint32_t> {
    const std::uint32_t value = size(config, key, most);
    if (config.is_wrong(key)) return std::nullopt;
    return value;
  };
  const bool total = config.has("experts"), local = config.has("experts_per_rank");
  if (total && local) {
    config.error(
        "experts",
        "beside experts_per_rank, expected one of the two; 'model: !override' drops what an included "
        "model says");
    size(config, "experts_per_rank", kMostExperts);
    return std::nullopt;
  }
  if (!total) return known("experts_per_rank", std::min(kMostLocalExperts, kMostExperts / ep));
  const std::optional<std::uint32_t> experts = known("experts", kMostExperts);
  if (!experts || parallel.ep_is_wrong) return std::nullopt;
  if (*experts % ep != 0) {
    config.error("experts",
                 fmt::format("{} experts on {} ranks, expected a multiple of the ranks", *experts, ep));
    return std::nullopt;
  }
  if (*experts / ep > kMostLocalExperts) {
    config.error("experts", fmt::format("{} experts on {} ranks, expected at most {} on each: take fewer, or "
                                        "a larger parallel.ep",
                                        *experts, ep, kMostLocalExperts));
    return std::nullopt;
  }
  return *experts / ep;
}

// Notes a single error for a model of dense layers only, which lacks all keys of a MoE layer.
void check_has_experts(const Config& config) {
  if (config.has("experts") || config.has("experts_per_rank") || !config.has("layers")) return;
  config.error("layers",
               "no routed experts (experts, or experts_per_rank), so there is no MoE layer to run alone");
  config.throw_if_any();
}

// Notes an error if ranks and experts are too many: a routing counts the rows for each pair of them.
void check_pairs(const Config& config, const MoeShape& shape) {
  constexpr std::uint64_t kMostCounts = 1 << 25;
  const std::uint64_t counts = std::uint64_t{shape.ep} * shape.experts();
  if (counts <= kMostCounts) return;
  config.error(
      config.has("experts") ? "experts" : "experts_per_rank",
      fmt::format("{} experts on each of {} ranks (parallel.ep) take {:.0f} million counts of rows, expected "
                  "at most {}: take fewer experts, or a smaller parallel.ep",
                  shape.experts_per_rank, shape.ep, static_cast<double>(counts) / 1e6,
                  kMostCounts / 1'000'000));
  config.throw_if_any();
}

// Notes an error if row numbers do not fit 32 bits: those that a rank sends, or receives if all tokens choose
// its experts.
void check_rows(const Config& config, const MoeShape& shape) {
  const std::uint64_t sent = std::uint64_t{shape.tokens} * shape.top_k;
  const std::uint64_t received =
      std::uint64_t{shape.tokens} * std::min(shape.top_k, shape.experts_per_rank) * shape.ep;
  constexpr std::uint64_t kMostRows = std::numeric_limits<std::int32_t>::max();
  if (std::max(sent, received) > kMostRows) {
    config.error("tokens",
                 fmt::format("{} tokens on each of {} ranks make up to {} rows on one, expected at most {}",
                             shape.tokens, shape.ep, std::max(sent, received), kMostRows));
  }
}

}  // namespace

DataType read_dtype(const Config& config) {
  std::vector<std::string_view> names;  // all but those of sums
  for (const std::string_view name : kNamesOf<DataType>)
    if (name != name_of(DataType::kInt32)) names.push_back(name);
  const std::string_view name = names[config.choice("dtype", names, name_of(DataType::kBf16))];
  return static_cast<DataType>(std::ranges::find(kNamesOf<DataType>, name) - kNamesOf<DataType>.begin());
}

Parallel read_parallel(const Config& config) {
  Parallel parallel;
  parallel.ep = size(config, "ep", kMostRanks);
  parallel.ep_is_wrong = config.is_wrong("ep");
  parallel.tp_stride = static_cast<std::uint32_t>(config.integer("tp_stride", 1, kMostRanks, 1));
  parallel.nodes = static_cast<std::uint32_t>(config.integer("nodes", 1, kMostRanks, 1));
  static_cast<void>(config.has("hosts"));  // read where ranks are placed (sim/runtime/rank_options.h)
  config.finish();
  return parallel;
}

MoeShape read_shape(const Config& config, const Parallel& parallel) {
  MoeShape shape;
  config.text("name", "");
  config.text("source", "");
  config.texts("not_modelled");
  check_has_experts(config);
  shape.ep = parallel.ep;
  shape.tokens = size(config, "tokens", kMostTokens);
  shape.hidden = size(config, "hidden", kWidest);
  if (config.has("latent")) shape.hidden = size(config, "latent", kWidest);
  shape.intermediate = size(config, "intermediate", kWidest);
  shape.top_k = size(config, "top_k", kMostExperts);
  const std::optional<std::uint32_t> experts = read_experts_per_rank(config, parallel);
  shape.experts_per_rank = experts.value_or(1);
  shape.dtype = read_dtype(config);
  if (experts && !parallel.ep_is_wrong && shape.top_k > shape.experts()) {
    config.error("top_k", fmt::format("{} experts per token of {} experts in all, expected at most as many",
                                      shape.top_k, shape.experts()));
  }
  if (experts && !parallel.ep_is_wrong) check_pairs(config, shape);
  check_rows(config, shape);
  check_model_shape(config, parallel);
  config.finish();
  return shape;
}

namespace {

RoutingSpec::Drift read_drift(const Config& config, RoutingSpec::Drift drift) {
  constexpr double kMostSigma = 5;
  drift.sigma = config.number("sigma", 0, kMostSigma, drift.sigma);
  drift.lasting = config.number("lasting", 0, 1, drift.lasting);
  drift.correlation = config.number("correlation", 0, 1, drift.correlation);
  drift.common = config.number("common", 0, kMostSigma, drift.common);
  return drift;
}

std::string read_path(const Config& config) {
  const std::string path = config.file("file").string();
  if (!path.empty() && access(path.c_str(), R_OK) != 0)
    config.error("file", fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return path;
}

// Lets those keys stand that the generator does not use, as a kind laid over a base file may leave them.
void let_unused_stand(const Config& config, const RoutingGenerator& generator, const RoutingSpec& spec) {
  const std::string_view spread = generator.draws() ? generator.spread(spec).first : "";
  if (!generator.draws()) config.let_stand("seed");
  if (!generator.reads_file()) config.let_stand("file");
  if (!generator.reads_file() || !generator.drifts())
    for (const char* key : {"layer", "step", "deal"}) config.let_stand(key);
  for (const char* key : {"skew", "busiest"})
    if (spread != key) config.let_stand(key);
  if (spread == "sigma") return;
  for (const char* key : {"sigma", "lasting", "correlation", "common"}) config.let_stand(key);
}

}  // namespace

RoutingSpec read_routing(const Config& config) {
  RoutingSpec spec;
  const std::optional<std::string> kind = config.registered<RoutingGenerator>("kind", spec.kind);
  const RoutingGenerator* generator = kind ? Routings::find(*kind) : nullptr;
  if (kind) spec.kind = *kind;
  constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
  constexpr double kMostSkew = 100, kMostBusiest = 1024;
  spec.seed = static_cast<std::uint64_t>(config.integer("seed", 0, kMostSeed, 0));
  spec.skew = config.number("skew", 0, kMostSkew, 0);
  spec.busiest = config.number("busiest", 1, kMostBusiest, spec.busiest);
  if (generator && generator->reads_file()) spec.file = read_path(config);
  if (generator && generator->drifts() && generator->reads_file()) {
    spec.layer = static_cast<std::uint32_t>(config.integer("layer", 0, kMostLocalExperts, 0));
    spec.micro_batch = static_cast<std::uint32_t>(config.integer("step", 0, kMostTokens, 0));
    spec.deal = config.choice("deal", spec.deal);
  }
  if (generator && generator->drifts()) spec.drift = read_drift(config, spec.drift);
  if (generator) let_unused_stand(config, *generator, spec);
  config.finish();
  return spec;
}

}  // namespace a3sim
