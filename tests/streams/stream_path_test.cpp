#include "sim/runtime/streams/stream_path.h"

#include <catch2/catch.hpp>

#include "sim/experiment/configs_folder.h"
#include "sim/study/summary/stream_report.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kMost = 100;

Time at(std::int64_t ps) { return Time(Duration(ps)); }

// A program that nobody ran: its tasks with the dates that they are said to have.
struct Told {
  StreamProgram program{1, {{"SM", 4}, {"engine", 1}}, {}};
  StreamResult result{};

  std::uint32_t add(std::uint32_t stream, std::vector<std::uint32_t> after, std::int64_t wait,
                    std::uint32_t kind, StreamRecord record) {
    result.records.push_back(record);
    return program.add({.name = "t",
                        .stream = stream,
                        .after = std::move(after),
                        .wait = Duration(wait),
                        .kind = kind,
                        .units = 1,
                        .hold = record.end - record.start});
  }
};

struct Piece {
  std::uint32_t task;
  bool works;
  std::int64_t from, to;
  friend bool operator==(const Piece&, const Piece&) = default;
};

std::vector<Piece> pieces(const Told& told, std::uint32_t last) {
  std::vector<Piece> all;
  for (const StreamStretch& of : critical_path(told.program, told.result, last)) {
    all.push_back({of.task, of.what == StreamStretch::What::kWork, of.from.time_since_epoch().count(),
                   of.to.time_since_epoch().count()});
  }
  return all;
}

TEST_CASE("The path of a program goes by whoever ended last, in the stream or behind an event") {
  Told told;
  const std::uint32_t a = told.add(0, {}, 5, 0, {at(0), at(5), at(30)});
  const std::uint32_t b = told.add(1, {}, 0, 0, {at(0), at(0), at(50)});
  const std::uint32_t c = told.add(0, {b}, 10, 0, {at(50), at(60), at(70)});
  CHECK(pieces(told, c) == std::vector<Piece>{{b, true, 0, 50}, {c, false, 50, 60}, {c, true, 60, 70}});
  CHECK(pieces(told, a) == std::vector<Piece>{{a, false, 0, 5}, {a, true, 5, 30}});
}

TEST_CASE("The path of a program goes by whose end freed the workers that a task waited for") {
  Told told;
  const std::uint32_t other = told.add(2, {}, 0, 0, {at(0), at(0), at(40)});
  const std::uint32_t copy = told.add(0, {}, 0, 1, {at(0), at(0), at(40)});
  const std::uint32_t late = told.add(1, {other}, 0, 1, {at(0), at(40), at(kMost)});
  told.result.records[late].ready = at(0);
  told.program.tasks[late].after.clear();
  CHECK(pieces(told, late) == std::vector<Piece>{{copy, true, 0, 40}, {late, true, 40, kMost}});
}

TEST_CASE("What the latency of a micro-batch waited for has no gaps and sums to it, by every method") {
  for (const auto& [method, item] : Methods::all()) {
    const std::vector<std::string> with{"network.backend=native", "experiment.method=" + method};
    const Experiment experiment = load_experiment(configs_folder() / "experiments" / "feplb.yaml", with);
    for (const auto& [name, pass] : run_first_batch(experiment)) {
      INFO(method << ' ' << name);
      Time until{};
      for (const StreamStretch& of : critical_path(pass.program, pass.result, pass.last())) {
        CHECK(of.from == until);
        CHECK(of.to > of.from);
        until = of.to;
      }
      CHECK(until.time_since_epoch() == pass.latency());
    }
  }
}

}  // namespace
}  // namespace a3sim
