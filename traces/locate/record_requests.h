#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "traces/locate/limits.h"

namespace a3sim {

// Which ranks are recorded in full in the next step. A slow step asks for its suspects until so many steps that were
// slow because of them have been recorded; what comes and goes is waited for, but not for long. Who was recorded is
// asked for again only after a long time without.
class RecordRequests {
 public:
  explicit RecordRequests(const LocateLimits& limits) : limits_(limits) {}

  // A step, whether it was slow, because of whom (kNone: all alike), and whom to look at beside them.
  void add(std::uint32_t step, bool slow, const std::vector<std::uint32_t>& suspects,
           const std::vector<std::uint32_t>& beside);
  const std::vector<std::uint32_t>& wanted() const { return wanted_; }

 private:
  struct Request {
    std::uint32_t recorded = 0, slow = 0;  // steps
    std::vector<std::uint32_t> ranks;
  };
  bool is_done(const Request& of) const;

  LocateLimits limits_;
  std::map<std::uint32_t, Request> open_;        // by suspect
  std::map<std::uint32_t, std::uint32_t> done_;  // by suspect: the last slow step because of it
  std::vector<std::uint32_t> wanted_;
};

}  // namespace a3sim
