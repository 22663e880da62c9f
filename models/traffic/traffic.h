#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/routing/routing.h"
#include "models/traffic/no_traffic.h"

namespace a3sim {

struct Deal {
  std::uint32_t ranks = 1, tokens = 1;  // of a rank in a step
  DealBy by = DealBy::kTurn;
  std::uint32_t top_k = 1;    // of counts, which do not say it
  std::uint32_t experts = 0;  // at least so many, as more may exist than were chosen
  friend bool operator==(const Deal&, const Deal&) = default;
};

// The contents of a log, before anything is dealt.
struct TrafficLog {
  std::string file;
  LogMeta meta;
  bool tokens = true;                             // false: counts by expert
  std::uint32_t experts = 0, top_k = 0;           // as stated, or as seen
  std::map<std::uint32_t, std::uint64_t> layers;  // rows of traffic by layer; of counts: steps
  std::uint64_t rows = 0;                         // tokens in layers, with those left out; of counts: lines
  std::uint64_t counted = 0;                      // of counts: rows in all
  NoTrafficRows left_out;
  NoTraffic none;
  // Returns the layers below the highest one that were not logged, or of those that the model is said to have.
  std::vector<std::uint32_t> layers_missing() const;
};

// Reads a log once for what it holds, and once more for what of it is traffic. Throws InputError.
TrafficLog read_traffic_log(const std::filesystem::path& file);

// The steps of one layer: what each rank sends to each expert.
struct TrafficSteps {
  std::vector<RoutingCounts> steps;
  std::uint32_t every = 1;       // only each so-many-th step is kept, as more would take too much memory
  std::uint64_t unfinished = 0;  // tokens of the last step, which is not full and left out; of counts: steps
};
// Deals the traffic of all layers, or of one, in one reading. A layer that has not the tokens of one step has no steps.
std::map<std::uint32_t, TrafficSteps> deal_layers(const TrafficLog& log, const Deal& deal,
                                                  std::optional<std::uint32_t> only = {});
// Deals a layer's traffic. Throws InputError if the log has no such layer, or not the tokens of one step.
TrafficSteps deal_traffic(const TrafficLog& log, std::uint32_t layer, const Deal& deal);

}  // namespace a3sim
