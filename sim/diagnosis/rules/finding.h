#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a3sim {

// A number that speaks for a cause, what it is held against, and where it stands.
struct Evidence {
  std::string what, unit;
  double value = 0, threshold = 0;
  std::string place;  // "full/41/operators.csv:12"
};

struct RuledOut {
  std::string cause, why;
};

// What fixes a cause, and what that gains, in ms a step: from a rerun, or at most.
struct Remedy {
  std::string text;
  double gain_ms = 0;
  bool bound = true;
};

// A cause that was found, the strongest evidence first.
struct Finding {
  std::string cause;
  std::vector<std::uint32_t> ranks;                            // in order; empty: of no rank
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // from, to
  std::vector<std::string> operators;
  std::string side;                   // of a rank's ports: egress, ingress, both
  std::uint32_t first = 0, last = 0;  // steps
  double lost_ms = 0;                 // a step, on average from the first to the last
  double share = 0;                   // of a usual step
  double confidence = 0;              // the part of the lag that it explains
  double doubt = 0;                   // taken off the confidence: what was seen does not tell it from others
  double factor = 0;                  // what is left of a rate, or a time's multiple; 0: none
  std::vector<Evidence> evidence;
  std::vector<RuledOut> ruled_out;
  std::vector<Remedy> remedies;
  std::vector<std::string> missing;  // evidence that would decide, by the name of its column
  bool info = false;
  bool standing = false;  // of every step: found without one that is slow

  void add(Evidence item) { evidence.push_back(std::move(item)); }
};

inline constexpr double kPicosecondsOfMs = 1e9;
inline constexpr const char* kCauseOpen = "slow, cause open";

}  // namespace a3sim
