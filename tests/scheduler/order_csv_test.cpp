#include "scheduler/orders/order_csv.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/core/error.h"
#include "tests/scheduler/small_compile.h"
#include "tests/scheduler/small_ssc.h"

using namespace a3sim;

namespace {

// Entries as `rank op index`, with the lines they stand in.
std::vector<std::string> entries_of(const std::string& text, CoreUnit queue) {
  std::vector<std::string> entries;
  for (const OrderSpec::Explicit& e : read_order_csv(text, "list.csv", queue)) {
    entries.push_back(std::to_string(e.rank) + " " + e.op + " " + std::to_string(e.index) + " @" +
                      std::to_string(e.line));
  }
  return entries;
}

std::string csv_error(const std::string& text) {
  try {
    read_order_csv(text, "list.csv", CoreUnit::kVector);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

using Entries = std::vector<std::string>;

}  // namespace

TEST_CASE("An exported order has a line a task, in queue order, with the descriptor's fields") {
  const std::string csv = export_order({Ssc::build(small_parts())});
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  REQUIRE(line ==
          "rank,queue,position,op,index,task,task_type,worker_set,dependent_event,trigger_rank,trigger_event,"
          "task_split_num,task_split_value,tiling_data_position,stage,expert,gexpert,src,dst,row,tile,chunk,"
          "inputs,"
          "outputs");
  std::getline(lines, line);
  REQUIRE(line ==
          "1,CTQ,0,GMM1,1,3,104,0,0,1,1,2,3,0,1,0,1,1,1,0,1,0,received[0:3)@1;w[0:8)@1,"
          "\"h \"\"q\"\"");
  std::getline(lines, line);  // the name of that tensor holds a line end
  REQUIRE(line == "[0:3)@1 share 1/2\"");
}

TEST_CASE("An exported order is read back as the same queues") {
  SscParts parts = small_parts();
  parts.operators[0].name = "Dispatch, \"twice\"\r\nand more";
  const std::string csv = export_order({Ssc::build(parts)});
  const auto ctq = read_order_csv(csv, "list.csv", CoreUnit::kMatrix);
  const auto vtq = read_order_csv(csv, "list.csv", CoreUnit::kVector);
  REQUIRE(ctq.size() == parts.queues[0].size());
  REQUIRE(vtq.size() == parts.queues[1].size());
  for (std::size_t q = 0; q < kCoreUnits; ++q) {
    const auto& list = q == 0 ? ctq : vtq;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const TaskDescriptor& td = parts.tasks[parts.queues[q][i]];
      REQUIRE(list[i].rank == index(parts.rank));
      REQUIRE(list[i].op == parts.operators[td.op].name);
      REQUIRE(list[i].index == td.task_index);
    }
  }
}

TEST_CASE("Columns of a list may stand anywhere, others are passed over") {
  const std::string csv =
      "note,index,op,rank,queue\n"
      "\"a, \"\"b\"\"\",7,GMM1,0,CTQ\n"
      "\n"
      ",8,Dispatch,1,VTQ\r\n"
      "x,9,\"Combine\",2,VTQ";
  REQUIRE(entries_of(csv, CoreUnit::kMatrix) == Entries{"0 GMM1 7 @2"});
  REQUIRE(entries_of(csv, CoreUnit::kVector) == Entries{"1 Dispatch 8 @4", "2 Combine 9 @5"});
  REQUIRE(entries_of("rank,queue,op,index\n", CoreUnit::kVector).empty());
}

TEST_CASE("A quoted field over several lines keeps the count of lines") {
  const std::string csv = "rank,queue,op,index\n0,VTQ,\"two\nlines\",1\n0,VTQ,A,2\n";
  REQUIRE(entries_of(csv, CoreUnit::kVector) == Entries{"0 two\nlines 1 @2", "0 A 2 @4"});
}

TEST_CASE("What is wrong with a list is told with its line") {
  const std::string header = "rank,queue,op,index\n";
  REQUIRE(csv_error("") == "list.csv:1: a first line with the names of the columns expected");
  REQUIRE(
      csv_error("rank,queue,op\n") ==
      "list.csv:1: one column 'index' expected in the first line, 0 found (needed: rank, queue, op, index)");
  REQUIRE(csv_error("rank,queue,op,index,op\n") ==
          "list.csv:1: one column 'op' expected in the first line, 2 found (needed: rank, queue, op, index)");
  REQUIRE(csv_error(header + "0,VTQ,A\n") == "list.csv:2: 3 fields, 4 columns");
  REQUIRE(csv_error(header + "0,VTQ,A,0\nx,VTQ,A,0\n") == "list.csv:3: rank: 'x' is not a whole number");
  REQUIRE(csv_error(header + "0,VTQ,A,-1\n") == "list.csv:2: index: '-1' is not a whole number");
  REQUIRE(csv_error(header + "0,VTQ,A,4294967296\n") ==
          "list.csv:2: index: '4294967296' is not a whole number");
  REQUIRE(csv_error(header + "0,vtq,A,0\n") == "list.csv:2: queue: 'CTQ' or 'VTQ' expected, 'vtq' found");
  REQUIRE(csv_error(header + "0,VTQ,,0\n") == "list.csv:2: op: an operator's name expected");
  REQUIRE(csv_error(header + "0,VTQ,\"A,0\n") == "list.csv:2: a quote is not closed");
  REQUIRE(csv_error(header + "0,VTQ,\"A\"x,0\n") ==
          "list.csv:2: a comma or the end of the line expected behind a field");
}

TEST_CASE("An exported order, compiled as a list, gives the same schedules") {
  const MoeShape shape = small_shape(4);
  const Graph graphs[] = {small_graph(false, shape), small_graph(true, shape)};
  CompileOptions options = small_options(4, uneven_counts(shape, 5), 2);
  std::vector<Schedule> sorted;
  std::string csv;  // of both passes
  for (const Graph& graph : graphs) {
    sorted.push_back(compile(graph, "g", options).schedule);
    const std::string one = export_order(sorted.back());
    csv += csv.empty() ? one : one.substr(one.find('\n') + 1);
    for (const OperatorNode& node : graph.operators()) options.order.elsewhere.push_back(node.name);
  }
  for (std::size_t q = 0; q < kCoreUnits; ++q) {
    options.order.list[q] = read_order_csv(csv, "list.csv", static_cast<CoreUnit>(q));
    options.order.list_file[q] = "list.csv";
    options.order.keys[q].clear();
  }
  for (std::size_t pass = 0; pass < std::size(graphs); ++pass) {
    const Schedule listed = compile(graphs[pass], "g", options).schedule;
    for (std::uint32_t r = 0; r < shape.ep; ++r) {
      REQUIRE(std::ranges::equal(listed[r].bytes(), sorted[pass][r].bytes()));
    }
  }
}

TEST_CASE("Compiled schedules survive their text form and their bytes") {
  const MoeShape shape = small_shape(2);
  const CompileOptions options = small_options(2, uneven_counts(shape, 3, 1), 2);
  for (const bool backward : {false, true}) {
    for (const Ssc& ssc : compile(small_graph(backward, shape), "g", options).schedule) {
      REQUIRE(std::ranges::equal(Ssc::from_text(ssc.to_text(), "text").bytes(), ssc.bytes()));
      REQUIRE(Ssc::from_buffer({ssc.bytes().begin(), ssc.bytes().end()}, "bytes").to_text() == ssc.to_text());
    }
  }
}
