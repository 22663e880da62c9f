#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/core/whole_time.h"
#include "sim/device/kernel_cost.h"

namespace a3sim {
namespace {

constexpr double kFp32 = 4;  // bytes of a score, or of an unfinished sum

// The products of a tile before, or after, the vector cores' work on it: for one key and all queries of a
// block.
struct ProductWork {
  double macs = 0;
  double to_l1 = 0, from_l0c = 0;  // bytes from and to the L2
  double from_ub = 0, to_ub = 0;   // bytes from and to the vector cores' buffers

  double cycles(const Hardware::Cube& cube) const {
    double longest = std::max(
        {macs / (cube.macs_per_cycle_16 * cube.speed), to_l1 / cube.gm_to_l1, from_l0c / cube.l0c_to_gm});
    if (from_ub > 0) longest = std::max(longest, from_ub / cube.ub_to_l1);
    if (to_ub > 0) longest = std::max(longest, to_ub / cube.l0c_to_ub);
    return longest;
  }
};

// How scores and probabilities go between the cores that multiply and those that do all else.
enum class Handing : std::uint8_t {
  kOneCore,  // one core does both: they stay
  kInside,   // by pipes between the cores' stores
  kThroughL2
};

// The work of a core, with its vector cores, for one key and all queries of a block.
struct KeyWork {
  ProductWork before, behind;
  double to_ub = 0, from_ub = 0;
  double simple = 0, convert = 0, transcendental = 0;

  ProductWork products() const {
    return {before.macs + behind.macs, before.to_l1 + behind.to_l1, before.from_l0c + behind.from_l0c,
            before.from_ub + behind.from_ub, before.to_ub + behind.to_ub};
  }
  double vector_cycles(const Hardware::Vector& vector, double cores) const {
    const double arithmetic =
        simple / vector.simple_fp32 + convert / vector.convert + transcendental / vector.transcendental;
    return std::max({arithmetic, to_ub / vector.gm_to_ub, from_ub / vector.ub_to_gm}) / cores;
  }
};

// Returns the forward work.
KeyWork forward_work(const BlockAttention& attention, double rows, double tile, Handing handing) {
  const bool through_l2 = handing == Handing::kThroughL2;
  const double element = element_bytes(attention.dtype), output = rows * attention.d_v / tile;
  KeyWork work;
  work.before = {rows * attention.d_qk, element * attention.d_qk, through_l2 ? kFp32 * rows : 0};
  work.behind = {rows * attention.d_v, element * (attention.d_v + (through_l2 ? rows : 0)),
                 through_l2 ? kFp32 * output : 0};
  // Scale, find the largest, subtract it, sum; correct the output so far.
  work.simple = 4 * rows + 2 * output;
  work.convert = rows;
  work.transcendental = rows;
  if (handing == Handing::kInside) {
    work.before.to_ub = kFp32 * rows;
    work.behind.from_ub = element * rows;
    work.behind.to_ub = kFp32 * output;
  }
  if (!through_l2) return work;
  work.to_ub = kFp32 * (rows + output);
  work.from_ub = element * rows;
  return work;
}

// Returns the backward work: scores again and the probabilities' gradient; then the gradients of queries
// (summed over tiles), keys and values (over queries).
KeyWork backward_work(const BlockAttention& attention, double rows, double tile, Handing handing) {
  const bool through_l2 = handing == Handing::kThroughL2;
  const double element = element_bytes(attention.dtype), d_qk = attention.d_qk, d_v = attention.d_v;
  KeyWork work;
  work.before = {rows * (d_qk + d_v), element * (d_qk + d_v), through_l2 ? 2 * kFp32 * rows : 0};
  work.behind = {rows * (2 * d_qk + d_v),
                 element * ((d_qk + d_v) * rows / tile + (through_l2 ? 2 * rows : 0)),
                 kFp32 * (rows * d_qk / tile + (handing == Handing::kOneCore ? 0 : d_qk + d_v))};
  work.simple = 5 * rows;
  work.convert = 2 * rows;
  work.transcendental = rows;
  if (handing == Handing::kInside) {
    work.before.to_ub = 2 * kFp32 * rows;
    work.behind.from_ub = 2 * element * rows;
  }
  if (!through_l2) return work;
  work.to_ub = 2 * kFp32 * rows;
  work.from_ub = 2 * element * rows;
  return work;
}

// `pace`: cycles per key if tiles overlap: those of the slowest of the cube, its loads, the way out of L0C,
// and the vector cores. `fill`: the extra cycles per key of a block's first tile, which overlaps with
// nothing.
struct KeyCycles {
  double pace = 0, fill = 0;
};

// Nothing overlaps if one core does both kinds of work: gradients leave no registers for a second tile.
KeyCycles key_cycles(const KeyWork& work, const Hardware& hardware, double vectors_a_cube, bool overlaps) {
  const double vector = work.vector_cycles(hardware.vector, vectors_a_cube);
  const double products = work.products().cycles(hardware.cube);
  const double pace = overlaps ? std::max(products, vector) : products + vector;
  return {pace, std::max(0.0, work.before.cycles(hardware.cube) + vector + work.behind.cycles(hardware.cube) -
                                  pace)};
}

// Appends the number of keys that each block of a document's queries processes, in order.
void add_keys_of_blocks(const BlockAttention& attention, std::uint64_t queries, double keys,
                        std::uint32_t rows, std::vector<double>& met) {
  const std::uint64_t blocks = (queries + rows - 1) / rows;
  // The first query of a block reaches back furthest.
  const double reach = attention.window > 0 ? static_cast<double>(attention.window + rows - 1) : keys;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    if (!attention.causal) {
      met.push_back(keys);
      continue;
    }
    // Dies of a CP group hold queries from both ends of a sample, so their blocks meet half of the keys on
    // average.
    const double until = attention.cp > 1
                             ? (keys + rows) / 2
                             : static_cast<double>((b + 1) * rows) + keys - static_cast<double>(queries);
    met.push_back(std::min(std::clamp(until, 1.0, keys), reach));
  }
}

// Returns the same for one head of one sample. Blocks do not reach over the end of a document.
std::vector<double> keys_of_blocks(const BlockAttention& attention, std::uint32_t rows) {
  std::vector<double> met;
  if (attention.documents.empty())
    add_keys_of_blocks(attention, attention.queries, static_cast<double>(attention.keys), rows, met);
  for (const std::uint64_t tokens : attention.documents)
    add_keys_of_blocks(attention, (tokens * attention.queries + attention.keys - 1) / attention.keys,
                       static_cast<double>(tokens), rows, met);
  return met;
}

// Deals blocks, the longest first, to the worker that is free first. Returns the time of the busiest worker.
double longest_worker(std::vector<double> blocks, std::uint64_t times, std::uint32_t workers) {
  std::ranges::sort(blocks, std::greater<>());
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (std::uint32_t w = 0; w < workers; ++w) free.push(0);
  double longest = 0;
  for (const double time : blocks) {
    for (std::uint64_t i = 0; i < times; ++i) {
      const double end = free.top() + time;
      free.pop();
      free.push(end);
      longest = std::max(longest, end);
    }
  }
  return longest;
}

}  // namespace

MemoryJob KernelCost::attention(const BlockAttention& attention, std::uint32_t workers) const {
  const WorkerKinds& kinds = hardware().workers;
  const Hardware::Cube& cube = hardware().cube;
  const Handing handing = kinds.one_queue()                         ? Handing::kOneCore
                          : cube.l0c_to_ub > 0 && cube.ub_to_l1 > 0 ? Handing::kInside
                                                                    : Handing::kThroughL2;
  const double beside = 1.0 * kinds.count(CoreUnit::kVector) / kinds.count(CoreUnit::kMatrix);
  const auto rows = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(program().attention.rows, std::max<std::uint64_t>(1, attention.queries)));
  const double padded = std::max(rows, hardware().cube.least_rows),
               tile = std::min(1.0 * program().attention.keys, static_cast<double>(attention.keys));
  const KeyWork work = attention.backward ? backward_work(attention, padded, tile, handing)
                                          : forward_work(attention, padded, tile, handing);
  const std::vector<double> blocks = keys_of_blocks(attention, rows);
  const std::uint64_t heads = attention.samples * attention.heads;
  const KeyCycles key_time =
      key_cycles(work, hardware(), beside, handing != Handing::kOneCore || !attention.backward);
  std::vector<double> times(blocks.size());
  std::ranges::transform(blocks, times.begin(), [&](double keys) {
    return keys * key_time.pace + std::min(keys, tile) * key_time.fill;
  });
  const double cycles = longest_worker(std::move(times), heads, workers);

  MemoryJob job;
  job.ideal = program().attention.start * attention.cp +
              Duration(whole_picoseconds(cycles * 1e12 / static_cast<double>(hardware().clock.count)));
  job.arithmetic = Duration(
      whole_picoseconds(static_cast<double>((job.ideal - program().attention.start * attention.cp).count()) *
                        work.products().macs / (cube.macs_per_cycle_16 * cube.speed) / key_time.pace));
  double keys = 0;
  for (const double one : blocks) keys += one * static_cast<double>(heads);
  job.bytes[static_cast<std::size_t>(Resource::kL2Read)] = keys * (work.products().to_l1 + work.to_ub);
  job.bytes[static_cast<std::size_t>(Resource::kL2Write)] = keys * (work.products().from_l0c + work.from_ub);
  const auto samples = static_cast<double>(attention.samples), element = 1.0 * element_bytes(attention.dtype);
  const double query = samples * attention.heads * static_cast<double>(attention.queries) * element,
               key = samples * attention.kv_heads * static_cast<double>(attention.keys) * element;
  const double in = (query + key) * attention.d_qk + key * attention.d_v, out = query * attention.d_v;
  job.bytes[static_cast<std::size_t>(Resource::kHbm)] =
      attention.backward ? hardware().memory.as_reads(in + 2 * out, in) : hardware().memory.as_reads(in, out);
  return job;
}

}  // namespace a3sim
