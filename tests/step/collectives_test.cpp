#include "sim/experiment/step/collectives.h"

#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/runtime/streams/stream_run.h"

namespace a3sim {
namespace {

const Hardware& a3() {
  static const Hardware kHardware =
      load_experiment(configs_folder() / "experiments" / "ep8.yaml", {}).hardware;
  return kHardware;
}

std::vector<std::uint32_t> dies_of_group(DieGroup group) {
  std::vector<std::uint32_t> dies;
  for (std::uint32_t r = 0; r < group.ranks; ++r) dies.push_back(r * group.stride);
  return dies;
}

Duration time_of(const StreamProgram& program, const std::vector<std::uint32_t>& dies) {
  return run_streams(program, a3(), dies, Registry<NetworkBackend>::get("native")).makespan;
}

// One die that stands for its group.
Duration alone(const std::vector<StreamTransfer>& transfers) {
  StreamProgram program{1, {}, {}};
  StreamTask task{.name = "exchange"};
  task.transfers = transfers;
  program.add(std::move(task));
  return time_of(program, {0});
}

// All members: each sends to those that `to` gives, so many bytes each.
Duration together(DieGroup group, double bytes, bool to_all) {
  StreamProgram program{group.ranks, {}, {}};
  for (std::uint32_t r = 0; r < group.ranks; ++r) {
    StreamTask task{.name = "send", .rank = RankId{r}};
    for (std::uint32_t n = 1; n < (to_all ? group.ranks : 2); ++n)
      task.transfers.push_back({RankId{(r + n) % group.ranks}, Bytes{static_cast<std::int64_t>(bytes)},
                                BytesPerSecond{std::int64_t{1} << 60}});
    program.add(std::move(task));
  }
  return time_of(program, dies_of_group(group));
}

TEST_CASE("a die that stands for a ring takes as long as the whole ring") {
  constexpr double kBytes = 1 << 26;
  // Inside a package, inside a node, and a ring of one die a node.
  for (const DieGroup group : {DieGroup{2, 1}, DieGroup{8, 2}, DieGroup{4, 16}}) {
    const double one = seconds(alone(ring_transfers(a3().fabric, group, kBytes, RankId{0})));
    CHECK(one == Approx(seconds(together(group, kBytes, false))).epsilon(0.01));
  }
}

TEST_CASE("all hops of a ring take as long as its slowest") {
  // The package, the node and the way between nodes each carry a part.
  const std::vector<StreamTransfer> transfers = ring_transfers(a3().fabric, {32, 1}, 1 << 26, RankId{0});
  REQUIRE(transfers.size() > 1);
  const auto time = [](const StreamTransfer& transfer) {
    return static_cast<double>(transfer.bytes.count) / static_cast<double>(transfer.rate.count);
  };
  for (const StreamTransfer& transfer : transfers) CHECK(time(transfer) == Approx(time(transfers.front())));
}

TEST_CASE("a die that stands for an all-to-all takes as long as the whole group") {
  constexpr double kBytes = 1 << 24;
  for (const DieGroup group : {DieGroup{2, 1}, DieGroup{8, 2}, DieGroup{16, 1}, DieGroup{32, 2}}) {
    const double one = seconds(alone(exchange_transfers(a3().fabric, group, kBytes, 1, RankId{0})));
    CHECK(one == Approx(seconds(together(group, kBytes, true))).epsilon(0.01));
  }
}

TEST_CASE("two exchanges over one plane share its ports") {
  const DieGroup group{8, 2};
  const std::vector<StreamTransfer> transfers = ring_transfers(a3().fabric, group, 1 << 26, RankId{0});
  StreamProgram program{1, {}, {}};
  for (const std::uint32_t stream : {0U, 1U}) {
    StreamTask task{.name = "exchange", .stream = stream};
    task.transfers = transfers;
    program.add(std::move(task));
  }
  CHECK(seconds(time_of(program, {0})) == Approx(2 * seconds(alone(transfers))).epsilon(0.01));
}

}  // namespace
}  // namespace a3sim
