#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "traces/csv_rows.h"
#include "traces/trace.h"

// The files of a traced pass: its tasks, their causes, and what the hosts did.
namespace a3sim {

// A task in tasks_PASS.csv.
struct TaskRow {
  std::uint32_t rank = 0, task = 0;
  std::string_view op;
  std::uint32_t index = 0, expert = kNone, src = 0, dst = 0, worker = 0;
  Duration taken{}, start{}, end{}, ideal{};
  Duration lost_l2_read{}, lost_l2_write{}, lost_hbm{}, lost_link{}, lost_miss{};
  std::uint64_t l2_read_hit = 0, l2_read_miss = 0, l2_write_hit = 0, l2_write_miss = 0;
  std::uint64_t hbm_read = 0, hbm_write = 0;
  std::string_view queue;
  std::uint32_t dependent_event = kNone, trigger_rank = 0, trigger_event = 0;
  Duration done{}, visible{}, arithmetic{};
  std::uint64_t operations = 0, put_bytes = 0;

  static constexpr auto columns() {
    using R = TaskRow;
    return std::tuple{CsvColumn{"rank", &R::rank},
                      CsvColumn{"task", &R::task},
                      CsvColumn{"operator", &R::op},
                      CsvColumn{"index", &R::index},
                      CsvColumn{"expert", &R::expert, true},
                      CsvColumn{"src", &R::src},
                      CsvColumn{"dst", &R::dst},
                      CsvColumn{"worker", &R::worker},
                      CsvColumn{"taken_ps", &R::taken},
                      CsvColumn{"start_ps", &R::start},
                      CsvColumn{"end_ps", &R::end},
                      CsvColumn{"ideal_ps", &R::ideal},
                      CsvColumn{"lost_l2_read_ps", &R::lost_l2_read},
                      CsvColumn{"lost_l2_write_ps", &R::lost_l2_write},
                      CsvColumn{"lost_hbm_ps", &R::lost_hbm},
                      CsvColumn{"lost_link_ps", &R::lost_link},
                      CsvColumn{"lost_miss_ps", &R::lost_miss},
                      CsvColumn{"l2_read_hit", &R::l2_read_hit},
                      CsvColumn{"l2_read_miss", &R::l2_read_miss},
                      CsvColumn{"l2_write_hit", &R::l2_write_hit},
                      CsvColumn{"l2_write_miss", &R::l2_write_miss},
                      CsvColumn{"hbm_read_bytes", &R::hbm_read},
                      CsvColumn{"hbm_write_bytes", &R::hbm_write},
                      CsvColumn{"queue", &R::queue, false, false},
                      CsvColumn{"dependent_event", &R::dependent_event, true},
                      CsvColumn{"trigger_rank", &R::trigger_rank},
                      CsvColumn{"trigger_event", &R::trigger_event},
                      CsvColumn{"done_ps", &R::done},
                      CsvColumn{"visible_ps", &R::visible},
                      CsvColumn{"arithmetic_ps", &R::arithmetic},
                      CsvColumn{"operations", &R::operations},
                      CsvColumn{"put_bytes", &R::put_bytes}};
  }
};

// A cause in the two files below: a task or a host's activity, on any rank.
struct CauseCells {
  Cause::Kind cause = Cause::Kind::kBeginning;
  std::uint32_t cause_rank = kNone, cause_task = kNone, cause_host = kNone;

  void set(const Cause& cause);
  Cause get() const;
};

// A task in causes_PASS.csv.
struct CauseRow : CauseCells {
  std::uint32_t rank = 0, task = 0;
  Duration waited{}, hold{};

  static constexpr auto columns() {
    using R = CauseRow;
    return std::tuple{CsvColumn<R, std::uint32_t>{"rank", &R::rank},
                      CsvColumn<R, std::uint32_t>{"task", &R::task},
                      CsvColumn<R, Duration>{"waited_ps", &R::waited},
                      CsvColumn<R, Duration>{"hold_ps", &R::hold},
                      CsvColumn<R, Cause::Kind>{"cause", &R::cause},
                      CsvColumn<R, std::uint32_t>{"cause_rank", &R::cause_rank, true},
                      CsvColumn<R, std::uint32_t>{"cause_task", &R::cause_task, true},
                      CsvColumn<R, std::uint32_t>{"cause_host", &R::cause_host, true}};
  }
};

// An activity of a host in host_PASS.csv.
struct HostRow : CauseCells {
  std::uint32_t rank = 0, number = 0;
  Blame what = Blame::kLaunch;
  std::string_view op;
  Duration asked{}, start{}, end{};

  static constexpr auto columns() {
    using R = HostRow;
    return std::tuple{CsvColumn<R, std::uint32_t>{"rank", &R::rank},
                      CsvColumn<R, std::uint32_t>{"number", &R::number},
                      CsvColumn<R, Blame>{"what", &R::what},
                      CsvColumn<R, std::string_view>{"operator", &R::op},
                      CsvColumn<R, Duration>{"asked_ps", &R::asked},
                      CsvColumn<R, Duration>{"start_ps", &R::start},
                      CsvColumn<R, Duration>{"end_ps", &R::end},
                      CsvColumn<R, Cause::Kind>{"cause", &R::cause},
                      CsvColumn<R, std::uint32_t>{"cause_rank", &R::cause_rank, true},
                      CsvColumn<R, std::uint32_t>{"cause_task", &R::cause_task, true},
                      CsvColumn<R, std::uint32_t>{"cause_host", &R::cause_host, true}};
  }
};

// A put that cables delayed, in links_PASS.csv.
struct HeldRow {
  std::uint32_t rank = 0, task = 0;
  std::string_view link;
  Duration held{};

  static constexpr auto columns() {
    using R = HeldRow;
    return std::tuple{CsvColumn{"rank", &R::rank}, CsvColumn{"task", &R::task}, CsvColumn{"link", &R::link},
                      CsvColumn{"held_ps", &R::held}};
  }
};

// Return these files.
std::string tasks_csv(const Trace& trace);
std::string causes_csv(const Trace& trace);
std::string hosts_csv(const Trace& trace);
std::string links_csv(const Trace& trace);

// Reads the tasks of a run from the CSV that it wrote. The trace's machine, operators and number of ranks
// must be set. Columns are found by name; columns that are not needed may be missing.
// Throws InputError with name:line for a missing column, a cell that is no number or above its limit, an
// unknown operator, tasks that are not numbered in order, and a task whose times do not add up.
void read_tasks(std::string_view csv, const std::string& name, Trace& trace);

// Read the causes of all tasks of the trace, and what its hosts did. Throw InputError for the same reasons, and if
// tasks are missing.
void read_causes(std::string_view csv, const std::string& name, Trace& trace);
void read_hosts(std::string_view csv, const std::string& name, Trace& trace);
// Reads which links delayed tasks. The trace's tasks must have been read.
void read_links(std::string_view csv, const std::string& name, Trace& trace);

}  // namespace a3sim
