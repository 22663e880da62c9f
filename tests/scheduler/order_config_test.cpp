#include "scheduler/orders/order_config.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "scheduler/orders/order_csv.h"
#include "scheduler/orders/order_keys.h"
#include "sim/core/error.h"
#include "tests/scheduler/small_ssc.h"

using namespace a3sim;

namespace {

struct Read {
  OrderSpec order;
  std::vector<std::string> errors;
};

Read read(const std::string& text, const std::string& name = "mine.yaml") {
  Diagnostics diagnostics;
  const Config root = Config::parse(text, name, {}, diagnostics);
  Read result{read_order(root.map("order")), {}};
  result.errors.assign(diagnostics.messages().begin(), diagnostics.messages().end());
  return result;
}

OrderSpec load(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  OrderSpec order = read_order(root.map("order"));
  root.finish();
  diagnostics.throw_if_any();
  return order;
}

OrderSpec shipped(const std::string& name) {
  return load(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/orders" / (name + ".yaml"));
}

// Positions of tasks in the order of a queue's keys, ties by position.
std::vector<std::uint32_t> sorted(const OrderSpec& order, CoreUnit queue,
                                  const std::vector<Attributes>& tasks) {
  KeyProgram program(order, queue, {});
  std::vector<std::vector<double>> values(tasks.size(), std::vector<double>(program.size()));
  for (std::size_t i = 0; i < tasks.size(); ++i) program.evaluate(tasks[i], values[i]);
  std::vector<std::uint32_t> positions(tasks.size());
  std::iota(positions.begin(), positions.end(), 0U);
  std::ranges::stable_sort(positions, {}, [&](std::uint32_t i) { return values[i]; });
  return positions;
}

// A folder that is removed again.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() / ("a3sim_order_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("An order is read with its keys, assignment, pools and limits") {
  const auto [order, errors] = read(
      "order:\n"
      "  name: mine\n"
      "  ctq: [stage, 'op == GMM1 ? 0 : 1']\n"
      "  vtq: ['(dst - rank) % ep']\n"
      "  assignment: shared\n"
      "  pools:\n"
      "    z: {operators: [Dispatch, Combine], workers: 25}\n"
      "    a: {operators: [SwiGLU], workers: 5}\n"
      "  limit: {Dispatch: 10}\n");
  REQUIRE(errors == std::vector<std::string>{});
  REQUIRE(order.name == "mine");
  REQUIRE(order.where == "mine.yaml:2:9");
  REQUIRE(order.keys[0] == std::vector<std::string>{"stage", "op == GMM1 ? 0 : 1"});
  REQUIRE(order.keys[1] == std::vector<std::string>{"(dst - rank) % ep"});
  REQUIRE(order.assignment == Assignment::kShared);
  REQUIRE(order.pools.size() == 2);
  REQUIRE(order.pools[0].name == "z");
  REQUIRE(order.pools[0].operators == std::vector<std::string>{"Dispatch", "Combine"});
  REQUIRE(order.pools[0].workers == 25);
  REQUIRE(order.pools[1].name == "a");
  REQUIRE(order.limits == std::map<std::string, std::uint32_t>{{"Dispatch", 10}});
}

TEST_CASE("Tasks are dealt to workers in turn unless the order says otherwise") {
  REQUIRE(read("order: {name: a, ctq: [op], vtq: [op]}").order.assignment == Assignment::kCyclic);
}

TEST_CASE("All that is wrong with an order is told, each with its place") {
  const auto [order, errors] = read(
      "order:\n"
      "  name: mine\n"
      "  ctq: [stage, exprt]\n"
      "  vtq: []\n"
      "  assignment: random\n"
      "  pools:\n"
      "    comm: {operators: [], workers: 0, speed: 3}\n"
      "  limit: {Dispatch: none}\n"
      "  vqt: [stage]\n");
  REQUIRE(errors.size() == 8);
  REQUIRE_THAT(errors[0],
               Catch::Matchers::StartsWith("mine.yaml:3:8: order.ctq: key 'exprt', position 1: unknown name "
                                           "'exprt'; did you mean 'expert'?; attributes: op, stage"));
  REQUIRE(errors[1] == "mine.yaml:4:8: order.vtq: at least one sort key expected");
  REQUIRE_THAT(errors[2], Catch::Matchers::StartsWith("mine.yaml:5:15: order.assignment: "));
  REQUIRE(errors[3] == "mine.yaml:7:23: order.pools.comm.operators: at least one operator expected");
  REQUIRE_THAT(errors[4], Catch::Matchers::StartsWith("mine.yaml:7:36: order.pools.comm.workers: "));
  REQUIRE_THAT(errors[5], Catch::Matchers::Contains("order.pools.comm.speed: "));
  REQUIRE_THAT(errors[6], Catch::Matchers::StartsWith("mine.yaml:8:21: order.limit.Dispatch: "));
  REQUIRE_THAT(errors[7], Catch::Matchers::Contains("order.vqt: "));
}

TEST_CASE("A key with ? : that is not quoted is told to be, with its place") {
  REQUIRE(read("order:\n  name: a\n  ctq: [op == GMM1 ? 0 : 1, stage]\n  vtq: [stage]\n").errors ==
          std::vector<std::string>{"mine.yaml:3:20: broken YAML: end of sequence flow not found; it was "
                                   "readable up to line 3; a value with ? and : in it must be quoted, \"a ? "
                                   "b : c\""});
  REQUIRE(read("order:\n  name: a\n  ctq: [stage]\n  vtq:\n  - stage\n  - (src ? 0 : 1)\n").errors ==
          std::vector<std::string>{
              "mine.yaml:6:5: order.vtq.1: a mapping, expected a text; with ': ' in it, it must "
              "be quoted: \"a ? b : c\""});
  REQUIRE(read("order: {name: a, ctq: [\"op == GMM1 ? 0 : 1\"], vtq: [stage]}").errors.empty());
}

TEST_CASE("A queue has keys or a list, one of the two") {
  const auto [order, errors] = read("order: {name: a, ctq: [op]}");
  REQUIRE(errors ==
          std::vector<std::string>{"mine.yaml:1:8: order.vtq: keys of the vtq expected: vtq, or vtq_list"});
  const auto both = read("order: {name: a, ctq: [op], vtq: [op], vtq_list: /no/such/file.csv}").errors;
  REQUIRE(both.size() == 2);
  REQUIRE_THAT(both[0], Catch::Matchers::EndsWith(
                            "order.vtq_list: /no/such/file.csv: cannot be read: No such file or directory"));
  REQUIRE_THAT(both[1], Catch::Matchers::EndsWith("order.vtq_list: vtq has keys already: one of the two"));
}

TEST_CASE("An explicit list is found beside the configuration that names it, and may hold both queues") {
  const TemporaryFolder folder;
  const SscParts parts = small_parts();
  folder.write("list.csv", export_order({Ssc::build(parts)}));
  folder.write("mine.yaml", "order: {name: a, ctq_list: list.csv, vtq_list: list.csv}\n");
  const OrderSpec order = load(folder / "mine.yaml");
  REQUIRE(order.keys[0].empty());
  for (std::size_t q = 0; q < kCoreUnits; ++q) {
    REQUIRE(order.list_file[q] == (folder / "list.csv").string());
    REQUIRE(order.list[q].size() == parts.queues[q].size());
  }
  REQUIRE(order.list[1][0].op == "Dispatch");
  REQUIRE(order.list[1][0].index == 1);
}

TEST_CASE("A fault in an explicit list is told with its line, at the key that names the file") {
  const TemporaryFolder folder;
  folder.write("list.csv", "rank,queue,op,index\n0,VTQ,Dispatch,x\n");
  folder.write("mine.yaml", "order: {name: a, ctq: [op], vtq_list: list.csv}\n");
  REQUIRE_THROWS_WITH(load(folder / "mine.yaml"),
                      (folder / "mine.yaml").string() + ":1:39: order.vtq_list: " +
                          (folder / "list.csv").string() + ":2: index: 'x' is not a whole number");
}

TEST_CASE("Every shipped order loads and is named after its file") {
  std::size_t files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/orders")) {
    if (!file.is_regular_file()) continue;  // found ones stand in a folder of theirs, with tilings and hints
    const OrderSpec order = load(file.path());
    REQUIRE(order.name == file.path().stem().string());
    for (std::size_t q = 0; q < kCoreUnits; ++q) REQUIRE(order.keys[q].size() + order.list[q].size() > 0);
    ++files;
  }
  REQUIRE(files >= 5);
}

TEST_CASE("Under the shipped ring order the destinations at every position are a permutation of the ranks") {
  constexpr std::uint32_t kExperts = 2, kChunks = 3;
  for (const char* name : {"ratr", "full"}) {
    const OrderSpec order = shipped(name);
    for (const std::uint32_t ep : {2U, 4U, 7U, 16U}) {
      std::vector<std::vector<double>> destinations(kExperts * kChunks * ep);  // by position
      for (std::uint32_t rank = 0; rank < ep; ++rank) {
        std::vector<Attributes> puts;
        for (std::uint32_t i = 0; i < kExperts * kChunks * ep; ++i) {
          Attributes put;
          put.rank = rank;
          put.ep = ep;
          put.dst = i / (kExperts * kChunks);
          put.expert = i / kChunks % kExperts;
          put.chunk = i % kChunks;
          puts.push_back(put);
        }
        const auto positions = sorted(order, CoreUnit::kVector, puts);
        for (std::size_t p = 0; p < positions.size(); ++p) destinations[p].push_back(puts[positions[p]].dst);
      }
      std::vector<double> ranks(ep);
      std::iota(ranks.begin(), ranks.end(), 0.0);
      for (const auto& at_position : destinations) {
        REQUIRE(std::is_permutation(at_position.begin(), at_position.end(), ranks.begin(), ranks.end()));
      }
    }
  }
}

TEST_CASE("Under the naive order every rank sends to rank 0 first") {
  const OrderSpec order = shipped("naive");
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    std::vector<Attributes> puts(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      puts[i].rank = rank;
      puts[i].ep = 3;
      puts[i].dst = 2 - i;
    }
    REQUIRE(sorted(order, CoreUnit::kVector, puts) == std::vector<std::uint32_t>{2, 1, 0});
  }
}

TEST_CASE("Interleaved branches alternate expert by expert, sequential ones run one after the other") {
  // Two operators of one stage on two experts, two shares each.
  std::vector<Attributes> tasks;
  for (std::uint32_t i = 0; i < 8; ++i) {
    Attributes task;
    task.stage = 1;
    task.op = i / 4;
    task.expert = i / 2 % 2;
    task.tile = i % 2;
    tasks.push_back(task);
  }
  const std::vector<std::uint32_t> branches = {0, 1, 2, 3, 4, 5, 6, 7}, experts = {0, 1, 4, 5, 2, 3, 6, 7};
  for (const char* name : {"naive", "ratr", "sequential_branches"}) {
    REQUIRE(sorted(shipped(name), CoreUnit::kMatrix, tasks) == branches);
  }
  for (const char* name : {"interleaved_branches", "full"}) {
    REQUIRE(sorted(shipped(name), CoreUnit::kMatrix, tasks) == experts);
  }
}
