#include "sim/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/network/network.h"
#include "sim/runtime/run_options.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostExperts = 1 << 20;
constexpr std::int64_t kMostTau = 1 << 30;
constexpr std::int64_t kMostSms = 65536;

void read_balance(const Config& config, StreamOptions& options) {
  MethodOptions& with = options.with;
  const auto read = [&](std::string_view key, std::int64_t most, std::uint32_t fallback) {
    return static_cast<std::uint32_t>(config.integer(key, 0, most, fallback));
  };
  BalanceOptions& balance = with.balance;
  balance.balancer = config.registered<Balancer>("balancer", balance.balancer).value_or(balance.balancer);
  balance.dyn = read("dyn", kMostExperts, balance.dyn);
  balance.tau = read("tau", kMostTau, balance.tau);
  balance.max_num_dyn = read("max_num_dyn", kMostExperts, balance.max_num_dyn);
  balance.stop = config.choice("stop", balance.stop);
  with.choose = config.choice("choose", with.choose);
  with.free_return = config.boolean("free_return", with.free_return);
  with.gradients_fp32 = config.boolean("gradients_fp32", with.gradients_fp32);
  options.place = config.choice("place", options.place);
  config.finish();
}

}  // namespace

RoutingCounts routing_of(const Experiment& experiment) {
  if (experiment.shape.experts() == 0) return RoutingCounts(experiment.shape.ep, 0);
  return route(experiment.routing, experiment.shape);
}

RoutingCounts capacity_of(const Experiment& experiment, const RoutingCounts& counts) {
  if (!experiment.bucket_rows) return counts;
  std::uint32_t most = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (const std::uint32_t rows : counts.source(src)) most = std::max(most, rows);
  }
  if (most > *experiment.bucket_rows) {
    throw InputError(
        fmt::format("{}: {} rows, expected at least {}: the most that one rank sends to one expert",
                    experiment.bucket_where, *experiment.bucket_rows, most));
  }
  RoutingCounts capacity(counts.ranks(), counts.experts());
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) capacity.at(src, e) = *experiment.bucket_rows;
  }
  return capacity;
}

const NetworkBackend& backend_of(const Experiment& experiment) {
  return Registry<NetworkBackend>::get(experiment.network);
}

const NetworkBackend& backend_in_threads(const Experiment& experiment) {
  return Registry<NetworkBackend>::get(experiment.network == "simgrid" ? "native" : experiment.network);
}

bool runs_on_streams(const Config& experiment) {
  return experiment.has("execution") && read_execution(experiment) == kStreams;
}

bool replays_batches(const Config& experiment) {
  return experiment.has("method") && !runs_on_streams(experiment);
}

StreamOptions read_stream_options(const Config& root) {
  constexpr std::int64_t kMostBatches = 100'000, kMostSeeds = 1000;
  constexpr double kLeastEfficiency = 0.01;
  StreamOptions options;
  const Config block = root.map("experiment");
  options.method = block.registered<Method>("method", options.method).value_or(options.method);
  options.micro_batches =
      static_cast<std::uint32_t>(block.integer("micro_batches", 1, kMostBatches, options.micro_batches));
  options.seeds = static_cast<std::uint32_t>(block.integer("seeds", 1, kMostSeeds, options.seeds));
  read_balance(root.map("balance"), options);
  const Config tutel = root.map("tutel"), triton = root.map("triton");
  options.with.shadows =
      static_cast<std::uint32_t>(tutel.integer("shadows", 0, kMostExperts, options.with.shadows));
  tutel.finish();
  options.with.comm_workers =
      static_cast<std::uint32_t>(triton.integer("sms", 1, kMostSms, options.with.comm_workers));
  options.with.efficiency = triton.number("efficiency", kLeastEfficiency, 1, options.with.efficiency);
  triton.finish();
  return options;
}

}  // namespace a3sim
