#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph/graph.h"
#include "models/operators/data.h"
#include "sim/core/enum_names.h"
#include "sim/experiment/experiment.h"
#include "sim/study/data/plain_ffn.h"
#include "sim/study/data/tensors.h"

namespace a3sim {

// What passes are compared with.
enum class Oracle : std::uint8_t { kForward, kBackward, kSwigluAdd, kGemm, kWhole };
constexpr auto names_of(Oracle) {
  return std::to_array<std::string_view>(
      {"plain loops over tokens and experts", "plain loops over tokens and experts", "plain loops over rows",
       "plain loops over rows", "its operators run whole, one after the other"});
}

// The plain loops for what a graph computes, however it is split; for a graph that is none of theirs, its
// operators, each unsplit, in topological order.
Oracle oracle_of(const Graph& graph, const MoeShape& shape);

// An experiment that can carry data: its passes have Permute and Accumulate, backward has forward before it,
// and every token has its experts.
struct DataCase {
  Experiment experiment;
  std::vector<Oracle> oracles;  // by pass
  plain::Routed routed;
  std::string shape;  // which shape it was given, a line or two
};

// The experiment of a configuration at its own shape. Throws InputError as load_experiment() does.
DataCase full_case(const std::filesystem::path& file, std::span<const std::string> overrides,
                   std::uint64_t seed);

// The experiment of a configuration at its own shape and window, for schedules that were compiled from it. Of the
// window `transport`, which no plain loops stand beside, passes are compared with their operators run whole. Throws
// InputError as load_experiment() does.
DataCase compiled_case(const std::filesystem::path& file, std::span<const std::string> overrides,
                       std::uint64_t seed);

// The same structure at a small shape: sizes, cuts and base blocks are shrunk together, so that matrix tiles
// have 3 ragged base blocks a share or more under balanced routing, and chunks do not divide the rows.
// Experts, ranks, orders, workers and routing stay as they are. Several partitions stay several (up to 4);
// one partition gives two cases, with one and with two. Throws InputError, also for an order that lists
// tasks.
std::vector<DataCase> small_cases(const std::filesystem::path& file, std::span<const std::string> overrides,
                                  std::uint64_t seed);

// What cases of any size are made with: where the generator sends every token; and a case of an experiment
// whose tokens go so, with drawn weights and completed passes.
plain::Routed routed_by(const RoutingSpec& spec, const MoeShape& shape);
DataCase data_case(Experiment experiment, plain::Routed routed, std::uint64_t seed);

// The rows of each rank's sent layout.
std::vector<std::vector<SentRow>> sent_by_rank(const DataCase& data_case);

// What a pass of a case should give. `known` holds all external tensors of its passes until then.
Tensors expected_tensors(const DataCase& data_case, std::size_t pass, const Tensors& known);

// About how much memory the check of a case takes.
Bytes data_bytes(const DataCase& data_case);

}  // namespace a3sim
