#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace a3sim {

// Which points of a sweep have to run so that those of the least latency are known. Points run in the order of what none of
// them can beat, and are settled in that order, so that the points that are settled do not depend on how many run at once.
class BestPoints {
 public:
  struct Bounded {
    std::uint64_t point = 0;
    double least = 0;  // latency that the point cannot beat
  };
  // `best` are asked for; `known`: latencies of points that have run before.
  BestPoints(std::size_t best, std::vector<Bounded> points, const std::vector<double>& known);

  // Returns the next point to run; nullopt once no other can be among the best.
  std::optional<std::uint64_t> next();
  // Takes the latency of a point that has run (infinite: it has failed). Returns the points that are settled now.
  std::vector<std::uint64_t> settle(std::uint64_t point, double latency);
  // Returns the number of points that may still have to run, or run.
  std::size_t open() const;
  // Returns the number of points that are settled.
  std::size_t settled() const { return settled_; }

 private:
  void take(double latency);
  bool may_be_best(const Bounded& point) const;

  std::size_t best_;
  std::vector<Bounded> points_;  // in the order of what they cannot beat
  std::size_t given_ = 0, settled_ = 0;
  std::map<std::uint64_t, double> waiting_;  // latencies of points behind one that still runs
  std::multiset<double> least_;              // the least latencies so far, as many as are asked for
};

}  // namespace a3sim
