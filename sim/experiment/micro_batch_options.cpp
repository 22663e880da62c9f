#include "sim/experiment/micro_batch_options.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostExperts = 1 << 20;
constexpr std::int64_t kMostTau = 1 << 30;
constexpr std::int64_t kMostSms = 65536, kMostStreams = 1024, kMostCalls = 10'000;

void read_balance(const Config& config, MicroBatchOptions& options) {
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

MicroBatchOptions read_micro_batch_options(const Config& root) {
  constexpr std::int64_t kMostBatches = 100'000, kMostSeeds = 1000;
  constexpr double kLeastEfficiency = 0.01;
  MicroBatchOptions options;
  const Config block = root.map("experiment");
  options.method = block.registered<Method>("method", options.method).value_or(options.method);
  options.micro_batches =
      static_cast<std::uint32_t>(block.integer("micro_batches", 1, kMostBatches, options.micro_batches));
  options.seeds = static_cast<std::uint32_t>(block.integer("seeds", 1, kMostSeeds, options.seeds));
  read_balance(root.map("balance"), options);
  const Config framework = root.map("framework"), tutel = root.map("tutel"), triton = root.map("triton");
  Framework& values = options.with.framework;
  values.streams = static_cast<std::uint32_t>(framework.integer("streams", 0, kMostStreams, values.streams));
  values.calls = static_cast<std::uint32_t>(framework.integer("calls", 0, kMostCalls, values.calls));
  framework.finish();
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
