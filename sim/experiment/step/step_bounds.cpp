#include "sim/experiment/step/step_bounds.h"

#include <algorithm>
#include <vector>

namespace a3sim {
namespace {

// Returns the time of bytes at a rate, rounded down so that it stays a lower bound.
Duration least_time(double bytes, BytesPerSecond rate) {
  return Duration(static_cast<std::int64_t>(bytes * 1e12 / static_cast<double>(rate.count)));
}

// All work of a die, by stage.
class StageLoads {
 public:
  StageLoads(const Hardware& hardware, const StepProgram& written)
      : hardware_(hardware),
        written_(written),
        placement_(placement_of(hardware.fabric, written.dies)),
        busy_(written.program.ranks),
        read_(written.program.ranks, 0),
        sent_(written.program.ranks, std::vector<double>(hardware.fabric.planes.size(), 0)),
        received_(sent_) {
    for (std::uint32_t t = 0; t < written.tasks.size(); ++t) add(t);
  }

  Duration busiest() const { return *std::ranges::max_element(busy_); }
  Duration hbm() const { return least_time(*std::ranges::max_element(read_), hardware_.memory.hbm_read); }
  Duration port() const {
    Duration longest{};
    for (std::size_t p = 0; p < hardware_.fabric.planes.size(); ++p) {
      const Hardware::Fabric::Plane& plane = hardware_.fabric.planes[p];
      for (std::size_t s = 0; s < sent_.size(); ++s)
        longest = std::max(
            {longest, least_time(sent_[s][p], plane.egress), least_time(received_[s][p], plane.ingress)});
    }
    return longest;
  }

 private:
  void add(std::uint32_t number) {
    const StreamTask& task = written_.program.tasks[number];
    const std::uint32_t stage = index(task.rank);
    const StepTask::Kind kind = written_.tasks[number].kind;
    if (kind == StepTask::Kind::kCompute || kind == StepTask::Kind::kUpdate)
      busy_[stage] += task.hold + task.job.ideal;
    read_[stage] += task.job.bytes[static_cast<std::size_t>(Resource::kHbm)];
    for (const StreamTransfer& transfer : task.transfers) {
      const std::uint32_t to = index(transfer.dst);
      const Hardware::Fabric::Level& level =
          hardware_.fabric
              .levels[transfer.level != kNone ? transfer.level : placement_.distance(stage, to) - 1];
      const double bytes = static_cast<double>(transfer.bytes.count) / level.payload;
      sent_[stage][level.plane] += bytes;
      received_[to][level.plane] += bytes;
    }
  }

  const Hardware& hardware_;
  const StepProgram& written_;
  Placement placement_;
  std::vector<Duration> busy_;                        // by stage
  std::vector<double> read_;                          // bytes from HBM by stage
  std::vector<std::vector<double>> sent_, received_;  // bytes on ports, by stage and plane
};

}  // namespace

Bounds step_bounds(const Hardware& hardware, const PreparedStep& prepared, const StepProgram& written) {
  Duration chain{};
  for (const auto& chunk : prepared.layout.chunks) {
    for (const std::uint32_t b : chunk) {
      for (const PartWorks* const works : {&prepared.blocks[b].forward, &prepared.blocks[b].activation})
        for (const PartWork& part : *works) chain += part.alone();
    }
  }
  const StageLoads loads(hardware, written);
  Bounds bounds;
  const auto at_least = [&](Bound bound, Duration time) {
    bounds.time[static_cast<std::size_t>(bound)] = time;
  };
  at_least(Bound::kCube, loads.busiest());
  at_least(Bound::kHbm, loads.hbm());
  at_least(Bound::kLink, loads.port());
  at_least(Bound::kCable, written.cable_time);
  at_least(Bound::kPath, chain);
  bounds.cable = written.busiest_cable;
  return bounds;
}

}  // namespace a3sim
