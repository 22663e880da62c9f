#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/units.h"

// What a profile from hardware says about the time of its ranks: every part of it, the groups in which ranks exchange data,
// and what binds their kernels.
namespace a3sim {

// The parts of one rank's step, which add up to its length. Exchanges count only where nothing computes: first what
// transfers, then what waits for other ranks, and what stands still between both.
struct StepTime {
  std::uint64_t step = 0;  // the profile's number
  std::uint32_t rank = 0;
  Duration length{}, computing{}, transferring{}, waiting{}, still{}, free{};
  Duration undecided{};  // exchanges of which nothing tells whether they wait or transfer
  Duration hidden{};     // exchanges beside computing; part of `computing`
  // What the profiler itself sums up (step_trace_time.csv), and where.
  struct Told {
    Duration computing{}, exposed{}, free{};
    std::size_t line = 0;
    double clock = 0;  // MHz; 0: not sampled
    Duration length() const { return computing + exposed + free; }
  };
  std::optional<Told> told;

  Duration exposed() const { return transferring + waiting + still + undecided; }
};

enum class ExchangeKind : std::uint8_t { kCollective, kSend, kReceive, kBatch };
constexpr auto names_of(ExchangeKind) {
  return std::to_array<std::string_view>({"collective", "send", "receive", "batch"});
}

// All exchanges of one name and group on one rank in one step.
struct ExchangeTime {
  std::uint64_t step = 0;
  std::uint32_t rank = 0, group = 0;  // position in ProfiledTime::groups
  std::string name;                   // without group and number: hcom_allReduce
  ExchangeKind kind = ExchangeKind::kCollective;
  std::uint32_t count = 0;
  Duration elapsed{}, transfer{}, waited{};
  Duration exposed{};  // no kernel and no earlier exchange beside it
  double bytes = 0;    // 0: unknown
  bool split = true;   // false: it is not known what of it waits
  Duration longest{}, longest_at{};
  std::size_t line = 0;  // of the longest one in the table of kernels; 0: from communication.json
};

// Ways in which ranks share a model's work.
enum class GroupKind : std::uint8_t { kUnknown, kTensor, kExpert, kPipeline, kData };
constexpr auto names_of(GroupKind) {
  return std::to_array<std::string_view>({"unknown", "TP", "EP", "PP", "DP"});
}

// A communicator.
struct ProfiledGroup {
  std::string name;
  GroupKind kind = GroupKind::kUnknown;
  bool told = false;                 // by profiler_metadata.json; else inferred from what it exchanges
  std::vector<std::uint32_t> ranks;  // ascending; those that were profiled, or all if told
  // How often a rank came last while others waited for it, and how long they waited.
  std::map<std::uint32_t, std::pair<std::uint32_t, Duration>> last;
};

// What went from one rank to another in a step, in all calls of one kind and group over one kind of links.
struct ProfiledLink {
  std::uint64_t step = 0;
  std::uint32_t group = 0;  // position in ProfiledTime::groups
  std::uint32_t from = 0, to = 0;
  std::string name, transport;  // hcom_allReduce, HCCS
  double bytes = 0;
  Duration transit{};
  std::uint32_t told_by = 0;  // rank

  double rate() const { return transit > Duration::zero() ? bytes / seconds(transit) : 0; }
};

// Parts of a core that work side by side.
enum class Pipe : std::uint8_t {
  kCube,
  kCubeScalar,
  kLoadL0,
  kCubeLoad,
  kFix,
  kVector,
  kVectorScalar,
  kLoad,
  kStore
};
constexpr auto names_of(Pipe) {
  return std::to_array<std::string_view>({"aic_mac", "aic_scalar", "aic_mte1", "aic_mte2", "aic_fixpipe",
                                          "aiv_vec", "aiv_scalar", "aiv_mte2", "aiv_mte3"});
}
using PipeTimes = std::array<double, kCountOf<Pipe>>;

// All kernels of one type on one rank.
struct KernelTime {
  std::uint32_t rank = 0;
  std::string type, core;
  std::uint32_t count = 0, little = 0;  // kernels; those shorter than a launch
  Duration time{}, alone{};             // `alone`: behind the ends of all kernels that began before
  Duration waited{};                    // between the kernel before and it
  // Time in which each pipe was busy, in microseconds of the kernel's own time; `piped`: time of kernels for which this is
  // known.
  PipeTimes pipes{};
  Duration piped{};
  double bytes = 0,
         sized_time = 0;  // read and written by shapes and types, and seconds of the kernels with these
  Duration longest{};
  std::size_t line = 0;  // of the longest one

  // Returns the part of the time in which a pipe was busy; 0 if that is unknown.
  double busy(Pipe pipe) const {
    return piped > Duration::zero() ? pipes[static_cast<std::size_t>(pipe)] / microseconds(piped) : 0;
  }
};

struct ProfiledTime {
  std::vector<StepTime> steps;  // by step, then rank
  std::vector<ExchangeTime> exchanges;
  std::vector<ProfiledGroup> groups;
  std::vector<ProfiledLink> links;  // between different ranks
  std::vector<KernelTime> kernels;
  std::vector<std::string> tables;  // of each rank: the path of its table of kernels
  std::vector<std::string> folders;
  bool ordered = true;   // false: gaps between kernels are not known
  bool pytorch = false;  // written by PyTorch's own profiler (Kineto), not by Ascend's
};

}  // namespace a3sim
