#pragma once

#include <catch2/catch.hpp>

#include "traces/import/profile.h"

namespace a3sim {

// Compares within the profile's resolution: times and sums are in nanoseconds, rounded or truncated.
inline bool near(Duration a, Duration b, std::int64_t nanoseconds = 1) {
  return std::chrono::abs(a - b) <= nanoseconds * 1'000_ps;
}

inline void check_same(const Names& a, const Names& b) {
  REQUIRE(b.size() == a.size());
  for (const auto& [name, of] : a) {
    INFO(name);
    REQUIRE(b.contains(name));
    const Occurrences& other = b.find(name)->second;
    CHECK(of.count == other.count);
    CHECK(of.total == other.total);
    CHECK(of.least == other.least);
    CHECK(of.most == other.most);
    CHECK(of.waited == other.waited);
    CHECK(of.transit == other.transit);
    CHECK(of.workers == other.workers);
    CHECK(near(of.run, other.run, of.workers));  // the profile rounds the mean over the workers
    CHECK(near(of.arithmetic, other.arithmetic, of.workers));
    CHECK(of.hits == Approx(other.hits));
  }
}

// Compares two profiles within a profile's resolution.
inline void check_same(const Profile& a, const Profile& b) {
  REQUIRE(a.ranks.size() == b.ranks.size());
  for (const auto& [number, rank] : a.ranks) {
    INFO("rank " << number);
    REQUIRE(b.ranks.contains(number));
    const RankProfile& other = b.ranks.at(number);
    check_same(rank.operators, other.operators);
    check_same(rank.exchanges, other.exchanges);
    REQUIRE(rank.packets.size() == other.packets.size());
    for (const auto& [bytes, of] : rank.packets) {
      CHECK(of.count == other.packets.at(bytes).count);
      CHECK(of.total == other.packets.at(bytes).total);
    }
    REQUIRE(rank.tasks.size() == other.tasks.size());
    for (const auto& [name, tasks] : rank.tasks) {
      REQUIRE(tasks.size() == other.tasks.at(name).size());
      for (const auto& [index, task] : tasks) CHECK(task.total == other.tasks.at(name).at(index).total);
    }
    REQUIRE(rank.steps.has_value() == other.steps.has_value());
    if (rank.steps) {
      CHECK(near(rank.steps->length, other.steps->length, 3));  // sum of three
      CHECK(near(rank.steps->computing, other.steps->computing));
      CHECK(near(rank.steps->communication, other.steps->communication));
      CHECK(near(rank.steps->exposed, other.steps->exposed));
    }
    REQUIRE(rank.span.has_value() == other.span.has_value());
    if (rank.span) CHECK(near(rank.span->last - rank.span->first, other.span->last - other.span->first));
  }
}

}  // namespace a3sim
