#include "traces/trace_csv.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/traces/made_trace.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

const std::string kHeader =
    "rank,task,operator,more,index,expert,src,dst,worker,taken_ps,start_ps,end_ps,ideal_ps,lost_l2_read_ps,"
    "lost_"
    "l2_write_ps,"
    "lost_hbm_ps,lost_link_ps,lost_miss_ps,l2_read_hit,l2_read_miss,l2_write_hit,l2_write_miss,hbm_read_"
    "bytes,hbm_write_bytes,"
    "dependent_event,trigger_rank,trigger_event,done_ps,visible_ps,arithmetic_ps,operations,put_bytes\n";
const std::string kTask = "0,0,cube,x,5,,1,0,1,10,20,40,15,1,1,1,1,1,8,2,6,3,30,4,,0,3,40,47,9,1000,0\n";

Trace read(const std::string& csv) {
  Trace trace = MadeTrace(Way::kStatic, 2).trace();
  trace.makespan = 100_ps;
  read_tasks(csv, "tasks.csv", trace);
  return trace;
}

void refused(const std::string& csv, const char* why) {
  CHECK_THROWS_AS(read(csv), InputError);
  CHECK_THROWS_WITH(read(csv), Contains("tasks.csv") && Contains(why));
}

// The task with one piece of it replaced.
std::string with(const std::string& what, const std::string& by) {
  std::string task = kTask;
  return kHeader + task.replace(task.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("tasks are read by the names of their columns") {
  const Trace trace =
      read(kHeader + kTask + "1,0,put,x,0,6,1,0,2,1,2,5,3,0,0,0,0,0,0,0,0,0,0,0,7,0,3,4,45,0,0,99\n");
  const TraceTask& task = trace.ranks[0][0];
  CHECK(task.op == MadeTrace::kCubeOp);
  CHECK(task.worker == 1);
  CHECK(task.dependent_event == kNone);
  CHECK(task.trigger_event == 3);
  CHECK(task.start == 20_ps);
  CHECK(task.visible == 47_ps);
  CHECK(task.arithmetic == 9_ps);
  CHECK(task.operations == 1000);
  CHECK(task.index == 5);
  CHECK(task.expert == kNone);
  CHECK(trace.ranks[1][0].expert == 6);
  CHECK(task.l2_hits == 8);
  CHECK(task.l2_misses == 2);
  CHECK(task.l2_write_hits == 6);
  CHECK(task.l2_write_misses == 3);
  CHECK(task.src == 1);
  CHECK(task.dst == 0);
  CHECK(task.hbm_bytes == 34);
  CHECK_FALSE(task.remote);
  CHECK(trace.ranks[1][0].remote);
  CHECK(trace.ranks[1][0].dependent_event == 7);
  CHECK(trace.ranks[1][0].put_bytes == 99);
}

TEST_CASE("operators' names may hold commas, quotes and ends of lines") {
  Trace trace = MadeTrace(Way::kStatic, 2).trace();
  trace.makespan = 100_ps;
  trace.operators[MadeTrace::kCubeOp].name = "a,\"b\"\n<i>\t";
  std::string task = kTask;
  task.replace(task.find("cube"), 4, "\"a,\"\"b\"\"\n<i>\t\"");
  read_tasks(kHeader + task, "tasks.csv", trace);
  CHECK(trace.ranks[0].size() == 1);
  CHECK(trace.ranks[0][0].op == MadeTrace::kCubeOp);
  refused(kHeader + "0,0,\"cube,x,5\n\n\n", "tasks.csv:2: the line does not end");
}

TEST_CASE("a file of tasks that was cut off, or changed, is refused with its line") {
  refused("", "header");
  refused("rank,task\n", "tasks.csv:1: no column 'operator'");
  refused(kHeader + kTask.substr(0, 20), "tasks.csv:2: the line does not end");
  refused(kHeader + "0,0,cube\n", "tasks.csv:2: 3 cells");
  refused(kHeader + kTask + kTask, "tasks.csv:3: task: 1 expected");
  refused(with("0,0,cube", "2,0,cube"), "tasks.csv:2: rank: 2, expected below 2");
  refused(with("cube", "cubes"), "no 'cubes'");
  refused(with("20,40", "20,4O"), "end_ps: a whole number expected, '4O'");
  refused(with("20,40", "20,-40"), "end_ps");
  refused(with("20,40", "20,"), "end_ps: a whole number expected, ''");
  refused(with("20,40", "20,99999999999999999999"), "end_ps");
  refused(with("20,40,15", "20,101,76"), "end_ps: 101, and the pass takes 100");
  refused(with("10,20", "21,20"), "taken <= start");
  refused(with("40,15", "40,16"), "sum to 21 ps, from start to end are 20 ps");
  refused(with("47,9", "39,9"), "visible_ps");
  refused(with("40,47,9", "39,47,9"), "done_ps");
  refused(with("0,1,10", "0,4,10"), "worker: 4, expected below 4");
  refused(with(",,1,0,1,10", ",,2,0,1,10"), "src: 2, expected below 2");
}
