#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a3sim {

// Who does what next: points of one taskflow, which share their schedules, go to one worker one after the
// other as long as there are others for the others.
class OrderOfWork {
 public:
  // `points` by number, and the taskflow of each number.
  OrderOfWork(const std::vector<std::uint64_t>& points, const std::vector<std::string>& taskflows,
              unsigned workers);

  // The next point for a worker: of its own taskflow; else of the first that nobody works on; else of the one
  // with the most points left.
  std::optional<std::uint64_t> next(unsigned worker);

 private:
  struct Group {
    std::vector<std::uint64_t> points;
    std::size_t given = 0;
    bool begun = false;
    std::size_t left() const { return points.size() - given; }
  };
  std::vector<Group> groups_;
  std::vector<std::size_t> of_worker_;  // its group
  std::size_t first_ = 0;               // groups before it have been begun
};

}  // namespace a3sim
