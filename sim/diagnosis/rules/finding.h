#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnosis/rules/rule_data.h"
#include "traces/observation.h"

namespace a3sim {

// A number that supports a cause, the threshold it exceeds, and the record that shows it.
struct Evidence {
  std::string what, unit;  // `{}` in `what`: the value, a share, stands there
  double value = 0, threshold = 0;
  RecordPlace place;
};

struct RuledOut {
  std::string cause, why;
};

// A change that fixes a cause, and its gain in ms per step: an upper bound, or simulated.
struct Remedy {
  enum class Proof : std::uint8_t { kNotTried, kSimulated, kNotProvable };
  std::string text;
  RemedyPlan::Change change = RemedyPlan::Change::kNone;
  double gain_ms = 0;
  Proof proof = Proof::kNotTried;
};

// The part of a finding in some of its steps.
struct FindingPart {
  std::uint32_t first = 0, last = 0;
  std::vector<std::uint32_t> ranks;
  double lost_ms = 0;
  double factor = 0;                // as of the finding; 0: not known
  std::optional<double> gain_ms{};  // what the first remedy gains, if simulated
};

// A cause that was found. The strongest evidence comes first.
struct Finding {
  std::string cause;
  std::vector<std::uint32_t> ranks;                            // ascending; empty: no particular rank
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // source, destination
  std::vector<std::string> operators;
  // Cables and switches, of which one is meant where records cannot tell them apart: "leaf3-spine1", "leaf3->spine1" for
  // one way of it, "switch spine1".
  std::vector<std::string> cables;
  std::string side;                   // side of a rank's ports: egress, ingress or both
  std::uint32_t first = 0, last = 0;  // steps
  double lost_ms = 0;                 // per step, mean over all steps from the first to the last
  double share = 0;                   // lost_ms as part of a usual step, or of `of_ms`
  double of_ms = 0;                   // time of kernels, where a step means little; 0: a step
  double explains = 0;                // part of the lag that the cause explains
  double doubt = 0;  // part of the confidence that is taken off, because the records fit other causes too
  double confidence = 0;  // how often findings like it are right (configs/advice/confidence.yaml)
  double factor = 0;      // remaining part of a rate, or multiple of a time; 0: none
  std::vector<Evidence> evidence;
  std::vector<RuledOut> ruled_out;
  std::vector<Remedy> remedies;
  std::vector<std::string> missing;  // columns that would decide, but were not recorded
  std::vector<FindingPart> parts;    // steps in which the lost time or the ranks differ, in order
  bool moves = false;                // moves from rank to rank, as `parts` say
  std::string set;                   // what the ranks are together: "node 2"
  bool carries_less = false;         // a port or a path that carries less while it is busy, whatever the load
  bool info = false;
  bool steady = false;        // lost in every step, found without a slow step
  bool own_remedies = false;  // the rule has said its remedies itself
  bool healthy = false;       // a step without faults loses it too

  // Returns whether its parts cost more and more, the last one half as much again as the first one.
  bool grows() const {
    constexpr double kGrown = 1.5;
    return !moves && parts.size() > 2 && std::ranges::is_sorted(parts, {}, &FindingPart::lost_ms) &&
           parts.back().lost_ms > kGrown * parts.front().lost_ms;
  }
  void add(Evidence item) { evidence.push_back(std::move(item)); }
};

inline constexpr double kPicosecondsOfMs = 1e9;
inline constexpr const char* kCauseOpen = "slow, cause open";

}  // namespace a3sim
