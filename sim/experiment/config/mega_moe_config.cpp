#include "sim/experiment/config/mega_moe_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace a3sim {
namespace {

// Reads numbers of experts that add up to at least a rank's: a list such as [13, 3], or one number that is
// repeated as needed. Experts that a smaller model does not have are dropped from the last ones.
std::vector<std::uint32_t> read_segments(const Config& config, std::string_view key, std::uint32_t experts,
                                         std::vector<std::uint32_t> usual) {
  if (!config.has(key)) return usual;
  std::vector<std::uint32_t> sizes;
  bool sound = true;
  for (const std::string& text : config.texts(key)) {
    if (text == "none") return {};
    std::uint32_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    sound &= error == std::errc() && end == text.data() + text.size() && size > 0;
    sizes.push_back(size);
  }
  std::vector<std::uint32_t> segments;
  std::uint32_t left = experts;
  for (std::size_t i = 0; sound && left > 0 && (i < sizes.size() || sizes.size() == 1); ++i) {
    segments.push_back(std::min(left, sizes[std::min(i, sizes.size() - 1)]));
    left -= segments.back();
  }
  if (sound && left == 0) return segments;
  config.error(
      key, fmt::format("expected numbers of experts that sum up to the {} of a rank or more, one number that "
                       "is repeated, or none",
                       experts));
  return usual;
}

// Returns the kernel's own tiles: 128 x 256, K by 512 through L1 and by 128 through L0, one L0C and no unit
// flag.
Tiling kernel_tiling() {
  Tiling tiling;
  tiling.base_k = 128;
  tiling.order = BlockOrder::kStrips;
  tiling.unit_flag = UnitFlag::kOff;
  tiling.rotate_k = 1;
  return tiling;
}

// The kernel's code chooses by the number of tokens. Up to 128, one core's memory holds all routes, and it
// sorts them twice, into the order and its inverse. Above, places are counted and written one by one. Above
// 512, four cores sort.
void set_front(const MoeShape& shape, MegaMoeOptions& options) {
  constexpr std::uint32_t kSortedInPlace = 128, kSortedByOne = 512, kSorters = 4;
  options.sorters = shape.tokens > kSortedByOne ? kSorters : 1;
  options.index = shape.tokens > kSortedInPlace;
  options.sorts = options.index ? 1 : 2;
}

constexpr std::uint32_t kMostKernelRows = 1 << 30;

// Returns the most rows that one pull or put takes, from the number of parts into which the rows of one rank for one expert
// are cut under balanced routing; `usual` if the number is not stated.
std::uint32_t read_rows(const Config& config, std::string_view parts, std::uint32_t slot,
                        std::uint32_t usual) {
  if (!config.has(parts)) return usual;
  const auto number = static_cast<std::uint32_t>(config.integer(parts, 1, kMostKernelRows));
  return std::max(1U, (slot + number - 1) / number);
}

// From 1024 tokens on, two cores send a rank's rows of an expert, half each, and all cores meet before the
// next expert. Below, all cores send the available rows, in pieces of tiles.
void read_cuts(const Config& config, const MoeShape& shape, MegaMoeOptions& options) {
  constexpr std::uint32_t kManyTokens = 1024;
  const std::uint32_t experts = shape.experts_per_rank;
  const std::vector<std::uint32_t> each(experts, 1);
  const bool many = shape.tokens >= kManyTokens;
  options.dispatch_segments = read_segments(config, "dispatch_segments", experts, each);
  options.activation_segments = read_segments(config, "activation_segments", experts, {experts});
  if (options.activation_segments.empty())
    config.error("activation_segments", "expected segments: GMM2 waits for them");
  options.combine_segments =
      read_segments(config, "combine_segments", experts, many ? each : decltype(each){});
  options.combine_meets = many && options.combine_segments.size() == experts;
  options.early_experts = static_cast<std::uint32_t>(config.integer("early_experts", 0, experts, 0));
  options.doorbells = config.boolean("doorbells", false);
  options.put_tiles = config.boolean("put_tiles", !many);
  const std::uint32_t slot = std::max<std::uint32_t>(
      1, static_cast<std::uint32_t>(std::uint64_t{shape.tokens} * shape.top_k / shape.experts()));
  constexpr std::uint32_t kPiece = 8;  // rows: half of a tile's piece of 16, or of what comes from one rank
  const std::uint32_t half = (slot + 1) / 2;
  options.pull_rows = read_rows(config, "pull_parts", slot, kMostKernelRows);
  options.put_rows = read_rows(config, "put_parts", slot, options.put_tiles ? std::min(kPiece, half) : half);
}

}  // namespace

MegaMoeOptions read_mega_moe_options(const Config& block, const MoeShape& shape, const WorkerKinds& workers) {
  MegaMoeOptions options;
  options.vector_cores = workers.count(CoreUnit::kVector);
  set_front(shape, options);
  read_cuts(block, shape, options);
  // In the first product, loads continue past the end of an expert's tiles; in the second they do not.
  Tiling first = kernel_tiling();
  first.loads_ahead = 1;
  options.gmm1 = first;
  options.gmm2 = kernel_tiling();
  block.finish();
  return options;
}

std::vector<std::string> mega_moe_operators() {
  return {"Sort_again", "Merge", "Sorted", "Index",    "Dispatched", "Arrived", "Finished",
          "Combined",   "Meet",  "Met",    "Complete", "Told",       "Back"};
}

}  // namespace a3sim
