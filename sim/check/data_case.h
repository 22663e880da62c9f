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
#include "sim/check/plain_ffn.h"
#include "sim/check/tensors.h"
#include "sim/core/enum_names.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// The reference that passes are compared with.
enum class Oracle : std::uint8_t { kForward, kBackward, kSwigluAdd, kGemm, kWhole };
constexpr auto names_of(Oracle) {
  return std::to_array<std::string_view>(
      {"plain loops over tokens and experts", "plain loops over tokens and experts", "plain loops over rows",
       "plain loops over rows", "its operators run whole, one after the other"});
}

// Returns the plain loops that compute what the graph computes, however it is split. Returns kWhole if
// there are none: then its operators run unsplit, in topological order.
Oracle oracle_of(const Graph& graph, const MoeShape& shape);

// An experiment that can carry data: its passes have Permute and Accumulate, forward comes before backward,
// and the experts of every token are known.
struct DataCase {
  Experiment experiment;
  std::vector<Oracle> oracles;  // one entry per pass
  plain::Routed routed;
  std::string shape;  // describes the shape in a line or two
};

// Returns the experiment of a configuration at its own shape. Throws InputError as load_experiment() does.
DataCase full_case(const std::filesystem::path& file, std::span<const std::string> overrides,
                   std::uint64_t seed);

// Returns the experiment of a configuration at its own shape and window, for schedules that were compiled
// from it. Passes of the window `transport`, which have no plain loops, are compared with their operators
// run unsplit. Throws InputError as load_experiment() does.
DataCase compiled_case(const std::filesystem::path& file, std::span<const std::string> overrides,
                       std::uint64_t seed);

// Returns the same structure at a small shape: sizes, cuts and base blocks shrink together, so that a share
// of a matrix tile has at least 3 ragged base blocks under balanced routing, and chunks do not divide the
// rows. Experts, ranks, orders, workers and routing stay. Several partitions stay several (up to 4); one
// partition gives two cases, with one and with two. Throws InputError, also for an order that lists tasks.
std::vector<DataCase> small_cases(const std::filesystem::path& file, std::span<const std::string> overrides,
                                  std::uint64_t seed);

// Parts that cases of any size are made from. routed_by() returns the destinations that the generator gives
// each token. data_case() returns the case of an experiment with this routing, drawn weights and completed
// passes.
plain::Routed routed_by(const RoutingSpec& spec, const MoeShape& shape);
DataCase data_case(Experiment experiment, plain::Routed routed, std::uint64_t seed);

// Returns the rows that each rank sends.
std::vector<std::vector<SentRow>> sent_by_rank(const DataCase& data_case);

// Returns what a pass should compute. `known` holds all external tensors of its passes until then.
Tensors expected_tensors(const DataCase& data_case, std::size_t pass, const Tensors& known);

// Estimates the memory that the check of a case takes.
Bytes data_bytes(const DataCase& data_case);

// Returns the multiply-adds of all passes' products.
double data_products(const DataCase& data_case);

}  // namespace a3sim
