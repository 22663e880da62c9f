#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sim/device/block_cost.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"

using namespace a3sim;

namespace {

Experiment machine(const std::string& hardware, const std::string& program) {
  return parse_experiment(
      "include: [experiments/gemm.yaml, hardware/" + hardware + ".yaml, programs/" + program + ".yaml]\n",
      (configs_folder() / "x.yaml").string(), {});
}

struct Device {
  explicit Device(const std::string& hardware, const std::string& program)
      : experiment(machine(hardware, program)),
        cost(experiment.hardware, experiment.program, experiment.cut.tiling) {}
  double us(const BlockKernel& kernel) {
    return seconds(time_alone(block_kernel_cost(kernel, cost), experiment.hardware)) * 1e6;
  }
  double us(const BlockAttention& attention) {
    return us(BlockKernel{"attention", WorkClass::kAttention, BlockPart::kAttention, attention, {}, 1});
  }
  double us(const BlockProduct& product) {
    return us(BlockKernel{"product", WorkClass::kProducts, BlockPart::kAttention, product, {}, 1});
  }

  Experiment experiment;
  KernelCost cost;
};

BlockAttention heads(std::uint32_t heads, std::uint64_t length, bool causal, bool backward = false) {
  return {1, heads, heads, 128, 128, length, length, causal, backward};
}

}  // namespace

TEST_CASE("Attention on Ascend is as slow as scores leave the cube, block by block of 128 queries") {
  Device a2("a2", "cann_training");
  // 128 scores a key in fp32, and the output once in 512 keys, at 40.6 bytes per cycle; probabilities and values come at 110.
  constexpr double kRows = 128, kTile = 512, kWidth = 128, kOut = 40.6, kIn = 110;
  const double output = kRows * kWidth / kTile, scores = 4 * kRows / kOut,
               values = 2 * (kWidth + kRows) / kIn;
  // Four simple instructions, a conversion and an exponential a score, two on the output, on two vector cores.
  const double vector = ((4 * kRows + 2 * output) / 64 + kRows / 64 + kRows / 32) / 2;
  const double key = scores + 4 * output / kOut, first = scores + vector + values - key;
  const double start = seconds(a2.experiment.program.attention.start) * 1e6;
  for (const std::uint64_t length : {1024U, 4096U, 16384U}) {
    const double waves = std::ceil(static_cast<double>(length) / kRows / 24);
    const double block = (static_cast<double>(length) * key + kTile * first) / 1800;
    CHECK(a2.us(heads(1, length, false)) == Approx(start + waves * block).epsilon(1e-6));
  }
}

TEST_CASE("Where pipes join a cube to its vector cores, attention's scores need no memory") {
  Device inside("ascend950pr_9589", "cann_950"), through("ascend950pr_9589", "cann_950");
  constexpr double kRows = 128, kTile = 128, kWidth = 128, kPipe = 128, kCubes = 32;
  // Of a key: both products at 4096 a cycle, scores and a part of the output to the vector cores in fp32.
  const double products = 2 * kRows * kWidth / 4096, out = 4 * (kRows + kRows * kWidth / kTile) / kPipe;
  const double vector = ((4 * kRows + 2 * kRows * kWidth / kTile) / 64 + kRows / 64 + kRows / 32) / 2;
  const double key = std::max({products, out, vector}), first = products / 2 + vector + products / 2 - key;
  constexpr double kLength = 4096;
  const double start = seconds(inside.experiment.program.attention.start) * 1e6;
  const double waves = std::ceil(kLength / kRows / kCubes);
  CHECK(inside.us(heads(1, 4096, false)) ==
        Approx(start + waves * (kLength * key + kTile * first) / 1650).epsilon(1e-6));

  Hardware without = through.experiment.hardware;
  without.cube.ub_to_l1 = 0;
  KernelCost cost(without, through.experiment.program, {});
  const MemoryJob there = cost.attention(heads(1, 4096, false), 32),
                  here = inside.cost.attention(heads(1, 4096, false), 32);
  constexpr std::size_t kRead = static_cast<std::size_t>(Resource::kL2Read),
                        kWritten = static_cast<std::size_t>(Resource::kL2Write);
  CHECK(here.ideal < there.ideal);
  // For each key: probabilities to L1; scores and output to the buffers; the same from the cubes.
  const double keys = kLength * kLength / kRows, output = kRows * kWidth / kTile;
  CHECK(there.bytes[kRead] - here.bytes[kRead] == Approx(keys * (2 * kRows + 4 * (kRows + output))));
  CHECK(there.bytes[kWritten] - here.bytes[kWritten] == Approx(keys * (4 * (kRows + output) + 2 * kRows)));
}

TEST_CASE("A causal mask leaves half of attention's time, but for blocks on the diagonal") {
  for (const auto& [hardware, program] : {std::pair{"a2", "cann_training"}, std::pair{"h100_node", "cuda"}}) {
    Device device(hardware, program);
    for (const bool backward : {false, true}) {
      const double all = device.us(heads(48, 16384, false, backward)),
                   half = device.us(heads(48, 16384, true, backward));
      INFO(hardware);
      CHECK(half / all == Approx(0.5 + 128 / 2.0 / 16384).epsilon(0.02));
    }
  }
}

TEST_CASE("Dies of a CP group share causal attention evenly") {
  Device device("a2", "cann_training");
  const double one = device.us(heads(48, 16384, true));
  BlockAttention part = heads(48, 16384, true);
  part.cp = 4;
  part.queries = 4096;
  const double start = seconds(device.experiment.program.attention.start) * 1e6;
  CHECK(device.us(part) - 4 * start == Approx((one - start) / 4).epsilon(0.02));
}

TEST_CASE("Where one core does all, softmax hides behind forward products, and nothing behind gradients") {
  Device h100("h100_node", "cuda");
  // So many keys that a block's first tile does not count; each SM has as many blocks of 128 queries.
  constexpr std::uint64_t kLong = 65536;
  constexpr double kRows = 128, kWidth = 128, kProducts = 2048, kSms = 132;
  const double key = kRows * kWidth / (kProducts * h100.experiment.hardware.cube.speed);  // of one product
  // Of a score: five simple instructions, two conversions, an exponential.
  const double vector = kRows * (5.0 / 128 + 2.0 / 64 + 1.0 / 16);
  const double blocks = 66 * kLong / kRows / kSms, keys = blocks * static_cast<double>(kLong) / 1830;
  CHECK(h100.us(heads(66, kLong, false)) == Approx(keys * 2 * key).epsilon(0.003));
  CHECK(h100.us(heads(66, kLong, false, true)) == Approx(keys * (5 * key + vector)).epsilon(0.003));
}

TEST_CASE("A weight gradient that is added to a sum in fp32 reads and writes eight bytes a weight more") {
  Device a3("a3_24_48", "cann_training");
  const BlockProduct plain{4096, 4096, 512, DataType::kBf16, true, false};
  BlockProduct added = plain;
  added.accumulates = true;
  const auto bytes = [&](const BlockProduct& product) { return a3.cost.product(product, 24).bytes; };
  const double weights = 4096.0 * 4096;
  const Hardware::MemorySystem& memory = a3.experiment.hardware.memory;
  CHECK(bytes(added)[2] - bytes(plain)[2] == Approx(memory.as_reads(4 * weights, 2 * weights)));
  CHECK(a3.us(added) > a3.us(plain));
  // The same product in a type with a quarter of the products a cycle.
  const BlockProduct long_one{4096, 4096, 4096};
  BlockProduct wide = long_one;
  wide.dtype = DataType::kFp32;
  CHECK(a3.us(wide) / a3.us(long_one) > 3.5);
}

TEST_CASE("A product of a layer costs what the same product costs elsewhere") {
  Device a3("a3_24_48", "cann_training");
  const std::vector<std::uint32_t> rows{2048};
  CHECK(a3.cost.product({2048, 4096, 7168}, 24).ideal == a3.cost.products(rows, 4096, 7168, 24).ideal);
  CHECK(a3.cost.product({2048, 4096, 7168}, 24).bytes == a3.cost.products(rows, 4096, 7168, 24).bytes);
}

TEST_CASE("Rows that are reduced one by one wait for each other on a core") {
  Device a2("a2", "cann_training"), without("a2", "cann");
  const BlockVector norm{4096.0 * 2048 * 2, 4096.0 * 2048 * 2, {}, 4096, 10};
  const auto us = [&](Device& device) {
    return device.us(BlockKernel{"norm", WorkClass::kVector, BlockPart::kAttention, norm, {}, 1});
  };
  const double row = 0.13 + (10 * 35 + 4096 / 24.0 + 4096 / 64.0) / 1800;
  CHECK(us(a2) == Approx(std::ceil(4096 / 48.0) * row).epsilon(0.001));
  CHECK(us(without) < us(a2));
}
