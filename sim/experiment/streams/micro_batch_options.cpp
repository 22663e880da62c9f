#include "sim/experiment/streams/micro_batch_options.h"

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
  balance.dyn = read("dyn", kMostExperts, balance.dyn);
  balance.tau = read("tau", kMostTau, balance.tau);
  balance.max_num_dyn = read("max_num_dyn", kMostExperts, balance.max_num_dyn);
  balance.stop = config.choice("stop", balance.stop);
  with.choose = config.choice("choose", with.choose);
  with.free_return = config.boolean("free_return", with.free_return);
  with.gradients_fp32 = config.boolean("gradients_fp32", with.gradients_fp32);
  options.place = config.choice("place", options.place);
  for (const std::string& key : config.keys())
    if (options.method != "feplb" && key != "place") config.let_stand(key);  // experts stay at home
  config.finish();
}

void read_tutel(const Config& config, MicroBatchOptions& options) {
  MethodOptions& with = options.with;
  with.shadows = static_cast<std::uint32_t>(config.integer("shadows", 0, kMostExperts, with.shadows));
  if (options.method != "tutel") config.let_stand("shadows");
  config.finish();
}

void read_triton(const Config& config, MicroBatchOptions& options) {
  constexpr double kLeastEfficiency = 0.01;
  MethodOptions& with = options.with;
  with.comm_workers = static_cast<std::uint32_t>(config.integer("sms", 1, kMostSms, with.comm_workers));
  with.efficiency = config.number("efficiency", kLeastEfficiency, 1, with.efficiency);
  for (const char* key : {"sms", "efficiency"})
    if (options.method != "triton") config.let_stand(key);
  config.finish();
}

}  // namespace

MicroBatchOptions read_micro_batch_options(const Config& root) {
  constexpr std::int64_t kMostBatches = 100'000, kMostSeeds = 1000;
  MicroBatchOptions options;
  const Config block = root.map("experiment");
  options.method = block.registered<Method>("method", options.method).value_or(options.method);
  options.micro_batches =
      static_cast<std::uint32_t>(block.integer("micro_batches", 1, kMostBatches, options.micro_batches));
  options.seeds = static_cast<std::uint32_t>(block.integer("seeds", 1, kMostSeeds, options.seeds));
  read_balance(root.map("balance"), options);
  const Config framework = root.map("framework");
  Framework& values = options.with.framework;
  values.streams = static_cast<std::uint32_t>(framework.integer("streams", 0, kMostStreams, values.streams));
  values.calls = static_cast<std::uint32_t>(framework.integer("calls", 0, kMostCalls, values.calls));
  framework.finish();
  read_tutel(root.map("tutel"), options);
  read_triton(root.map("triton"), options);
  return options;
}

}  // namespace a3sim
