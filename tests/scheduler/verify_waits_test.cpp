#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "scheduler/compile/wiring.h"
#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/accesses.h"
#include "scheduler/verify/verify.h"
#include "tests/scheduler/small_compile.h"
#include "tests/scheduler/wiring_oracle.h"

namespace a3sim {
namespace {

// Reader and writer, as the verifier finds them.
std::set<std::pair<oracle::Task, oracle::Task>> overlaps(const TaskflowView& taskflow) {
  std::set<std::pair<oracle::Task, oracle::Task>> found;
  const EventNumbers events(taskflow);
  AccessTables accesses(taskflow, events);
  for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) accesses.add(r);
  accesses.each([&](const TensorAccesses& tensor) {
    for (const Access& read : tensor.reads) {
      const TouchedBytes bytes = bytes_of(taskflow, read, tensor.tensor);
      for (const Access& write : tensor.writes) {
        if (bytes.meets(bytes_of(taskflow, write, tensor.tensor)))
          found.insert({{read.rank, read.task}, {write.rank, write.task}});
      }
    }
  });
  return found;
}

// The same, element by element.
std::set<std::pair<oracle::Task, oracle::Task>> element_by_element(const TaskflowView& taskflow) {
  const oracle::Matrix depends = oracle::dependencies(taskflow);
  const std::vector<oracle::Task> tasks = oracle::all_tasks(taskflow);
  std::set<std::pair<oracle::Task, oracle::Task>> found;
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    for (std::size_t p = 0; p < tasks.size(); ++p) {
      if (depends[c][p]) found.insert({tasks[c], tasks[p]});
    }
  }
  return found;
}

// Products of plain matrices after one another, whose blocks stay where they are.
Graph chain_of_products() {
  Graph graph;
  const auto plain = [&](const char* name, std::uint32_t rows, std::uint32_t cols, bool external) {
    return graph.add_tensor({name, Layout::kPlain, rows, cols, DataType::kBf16, external});
  };
  const TensorId x = plain("x", 9, 6, true), w = plain("w", 6, 10, true), v = plain("v", 10, 7, true);
  const TensorId h = plain("h", 9, 10, false), y = plain("y", 9, 7, false);
  graph.add_operator(make_node("First", "GroupedMatmul", {x, w}, {h}));
  OperatorNode second = make_node("Second", "GroupedMatmul", {h, v}, {y});
  second.split.inherits.clear();
  graph.add_operator(std::move(second));
  return graph;
}

std::vector<Schedule> small_schedules() {
  std::vector<Schedule> all;
  const MoeShape shape = small_shape(2);
  for (const bool backward : {false, true}) {
    for (const std::uint64_t seed : {1, 2}) {
      const CompileOptions options = small_options(2, uneven_counts(shape, seed), 2);
      all.push_back(compile(small_graph(backward, shape, Window::kFull), "g", options).schedule);
    }
  }
  CompileOptions options = small_options(1, RoutingCounts(1, 2));
  options.shape.ep = 1;
  all.push_back(compile(with_small_blocks(chain_of_products()), "g", options).schedule);
  return all;
}

}  // namespace

TEST_CASE("the verifier's readers and writers are those that share an element") {
  for (const Schedule& schedule : small_schedules()) {
    const TaskflowView taskflow(schedule);
    const auto expected = element_by_element(taskflow);
    CHECK(!expected.empty());
    CHECK(overlaps(taskflow) == expected);
    const Findings findings = verify(schedule);
    CHECK(findings.errors.empty());
    const std::string note =
        fmt::format("{} pairs of a reader and a writer are ordered by events", expected.size());
    CHECK(std::ranges::count(findings.notes, note) == 1);
  }
}

TEST_CASE("whichever single wait is taken away, the verifier misses it") {
  for (const Schedule& good : small_schedules()) {
    for (std::uint32_t rank = 0; rank < good.size(); ++rank) {
      for (std::uint32_t t = 0; t < good[rank].tasks().size(); ++t) {
        const TaskDescriptor& td = good[rank].tasks()[t];
        if (td.dependent_event == kNone || td.task_type == static_cast<std::uint16_t>(TaskType::kJoin))
          continue;
        Schedule planted = good;
        SscParts parts = parts_of(good[rank]);
        parts.tasks[t].dependent_event = kNone;
        planted[rank] = Ssc::build(parts);
        const std::string reader = TaskflowView(good).task_name(rank, t);
        INFO(reader << " on rank " << rank);
        const std::vector<std::string> errors = verify(planted).errors;
        CHECK(std::ranges::any_of(errors, [&](const std::string& error) {
          return error.starts_with(fmt::format("{} on rank {} reads what", reader, rank));
        }));
      }
    }
  }
}

// Code that the compiler and the verifier share may be wrong in both, and then the verifier finds nothing.
TEST_CASE("the verifier includes nothing of the compiler's") {
  // Headers to read schedules with.
  const std::set<std::string> shared = {"scheduler/ssc/ssc.h", "scheduler/ssc/taskflow_view.h",
                                        "scheduler/ssc/worker_queues.h", "scheduler/ssc/same_fields.h"};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(A3SIM_SOURCE_DIR "/scheduler/verify")) {
    const std::string kind = entry.path().extension();
    if (kind != ".cpp" && kind != ".h") continue;
    ++files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("#include \"scheduler/")) continue;
      const std::string header = line.substr(10, line.size() - 11);
      INFO(entry.path() << " includes " << header);
      CHECK((shared.contains(header) || header.starts_with("scheduler/verify/")));
    }
  }
  CHECK(files > 10);
}

}  // namespace a3sim
