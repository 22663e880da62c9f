#include "sim/experiment/inference/context_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>

#include "models/routing/popularity.h"

namespace a3sim {
namespace {

constexpr std::uint64_t kMostTokensOfRequest = 1 << 24;
constexpr std::uint64_t kMostDrawn = 1 << 22;  // requests of all ranks

std::vector<std::uint64_t> stated_lengths(const Config& block) {
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : block.texts("contexts")) {
    std::uint64_t tokens = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tokens);
    if (error != std::errc() || end != text.data() + text.size() || tokens < 1 ||
        tokens > kMostTokensOfRequest) {
      block.error("contexts", fmt::format("'{}', expected tokens of a request, from 1 to {}", text,
                                          kMostTokensOfRequest));
      return {};
    }
    lengths.push_back(tokens);
  }
  if (lengths.empty()) block.error("contexts", "no lengths, expected tokens of requests such as [512, 8192]");
  return lengths;
}

// Log-normal lengths around a mean.
std::vector<std::uint64_t> drawn_lengths(double mean, double sigma, std::uint64_t seed, std::uint64_t count) {
  Rng rng(seed);
  std::vector<std::uint64_t> lengths(count);
  for (std::uint64_t& length : lengths) {
    const double tokens = mean * std::exp(sigma * normal_draw(rng) - sigma * sigma / 2);
    length = static_cast<std::uint64_t>(
        std::clamp(std::round(tokens), 1.0, static_cast<double>(kMostTokensOfRequest)));
  }
  return lengths;
}

// Gives each rank the next requests, and keeps those of the rank with most tokens.
void take_busiest(const std::vector<std::uint64_t>& lengths, InferenceOptions& options) {
  const std::uint32_t ranks = std::max(1U, options.ranks());
  double all = 0, most = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::uint64_t> own;
    for (std::uint64_t i = 0; i < options.batch; ++i)
      own.push_back(lengths[(rank * options.batch + i) % lengths.size()]);
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    all += sum;
    if (sum <= most) continue;
    most = sum;
    options.lengths = std::move(own);
  }
  std::ranges::sort(options.lengths, std::greater());
  const double requests = static_cast<double>(options.batch);
  options.context = static_cast<std::uint64_t>(std::max(1.0, std::round(all / requests / ranks)));
  options.longest = most / requests / static_cast<double>(options.context);
}

}  // namespace

void read_context_lengths(const Config& block, InferenceOptions& options) {
  const double sigma = block.number("context_sigma", 0, 4, 0);
  const auto seed = static_cast<std::uint64_t>(block.integer("context_seed", 0, std::int64_t{1} << 53, 1));
  if (sigma == 0) block.let_stand("context_seed");
  const bool stated = block.has("contexts");
  if (!stated && sigma == 0) return;
  const char* const key = stated ? "contexts" : "context_sigma";
  if (options.phase == InferencePhase::kPrefill) return;
  if (stated && sigma > 0) block.error("context_sigma", "expected either this or inference.contexts");
  if (options.longest != 1) block.error("longest", fmt::format("expected either this or inference.{}", key));
  const std::uint64_t requests = options.batch * std::max(1U, options.ranks());
  if (requests > kMostDrawn) {
    block.error(key, fmt::format("{} requests of all ranks, expected at most {}", requests, kMostDrawn));
    return;
  }
  const std::vector<std::uint64_t> lengths =
      stated ? stated_lengths(block)
             : drawn_lengths(static_cast<double>(options.context), sigma, seed, requests);
  if (!lengths.empty()) take_busiest(lengths, options);
}

std::vector<std::uint64_t> keys_of_requests(const InferenceOptions& options) {
  std::vector<std::uint64_t> keys;
  if (options.lengths.empty()) {
    const double all = static_cast<double>(options.context) * options.longest / options.cp;
    keys.assign(options.micro_requests(), static_cast<std::uint64_t>(std::ceil(all)));
    return keys;
  }
  for (std::size_t i = 0; i < options.lengths.size(); i += options.micro_batches)
    keys.push_back((options.lengths[i] + options.cp - 1) / options.cp);
  return keys;
}

}  // namespace a3sim
