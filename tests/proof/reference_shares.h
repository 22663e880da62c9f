#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

// Max-min shares by definition, in long doubles: a user's share rises with all others until it has what it
// can use, or until something that it uses is full.
namespace a3sim::reference {

// A user of one device's memory: how much it takes of each resource at full speed, and the part of it that
// counts when shares are compared.
struct MemoryUser {
  std::array<long double, 3> uses{};
  long double counts = 0;
  long double speed = 1;  // result: part of its full speed
};

inline void share_memory(std::vector<MemoryUser*> users, std::array<long double, 3> free) {
  for (MemoryUser* u : users) u->speed = 1;
  std::erase_if(users, [](const MemoryUser* u) { return u->counts == 0; });
  while (!users.empty()) {
    std::ranges::stable_sort(users, {}, &MemoryUser::counts);
    // Find the first resource that is full when all rise to this level.
    long double level = std::numeric_limits<long double>::infinity();
    std::size_t full = free.size();
    for (std::size_t r = 0; r < free.size(); ++r) {
      long double taken = 0, slope = 0;  // by users that have all they can use; by the others
      for (const MemoryUser* u : users) slope += u->uses[r] / u->counts;
      for (const MemoryUser* u : users) {
        if (taken + slope * u->counts > free[r]) {
          if (const long double at = (free[r] - taken) / slope; at < level) level = at, full = r;
          break;
        }
        taken += u->uses[r];
        slope -= u->uses[r] / u->counts;
      }
    }
    if (full == free.size()) return;
    std::vector<MemoryUser*> open;
    for (MemoryUser* u : users) {
      u->speed = std::min(1.0L, level / u->counts);
      if (u->speed < 1 && u->uses[full] == 0) {
        u->speed = 1;
        open.push_back(u);
        continue;
      }
      for (std::size_t r = 0; r < free.size(); ++r) free[r] = std::max(0.0L, free[r] - u->speed * u->uses[r]);
    }
    users = std::move(open);
  }
}

// A flow through two ports.
struct PortUser {
  std::size_t from = 0, to = 0;  // positions in one list of ports
  long double most = 0;
  long double rate = 0;  // result
};

inline void share_ports(const std::vector<PortUser*>& flows, std::vector<long double> free) {
  std::vector<PortUser*> open = flows;
  while (!open.empty()) {
    std::vector<long double> users(free.size(), 0);
    for (const PortUser* f : open) ++users[f->from], ++users[f->to];
    long double level = std::numeric_limits<long double>::infinity();
    for (const PortUser* f : open)
      level = std::min({level, f->most, free[f->from] / users[f->from], free[f->to] / users[f->to]});
    const long double at_level = level * (1 + 1e-15L);
    std::vector<PortUser*> rest, stopped;
    for (PortUser* f : open) {
      const bool stops = f->most <= at_level || free[f->from] / users[f->from] <= at_level ||
                         free[f->to] / users[f->to] <= at_level;
      (stops ? stopped : rest).push_back(f);
    }
    for (PortUser* f : stopped) {
      f->rate = level;
      free[f->from] -= level;
      free[f->to] -= level;
    }
    open = std::move(rest);
  }
}

}  // namespace a3sim::reference
