#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/analysis/times.h"
#include "traces/import/ascend_reader.h"
#include "traces/import/profiled_job.h"
#include "traces/import/rank_time.h"
#include "traces/observation.h"
#include "traces/profiled_time.h"

namespace a3sim {

// Returns the part of stretches between two times.
inline Times times_within(const Times& times, Duration from, Duration to) {
  return from < to ? times & Times::interval_type::right_open(from.count(), to.count()) : Times();
}

// Returns what a kernel reads and writes at least, by the shapes and types of its tensors; 0: unknown.
double bytes_by_shapes(const KernelRow& row);

// Data of one rank in one step, as they are gathered. Times are on the rank's own clock.
struct GatheredRankStep {
  // A collective, or a wait for another rank.
  struct Exchange {
    Duration start{}, end{}, waited{};
    bool collective = false;
    bool split = true;  // `waited` is known, not what is left
    bool transit_told = true;
    std::uint32_t group = 0;  // position in ProfiledTime::groups
    std::uint32_t name = 0;   // position in the job's names, without number
    std::uint32_t call = 0;   // its own number among the names of all ranks' exchanges
    Duration transit{};
    double bytes = 0;
    std::uint32_t line = 0;
  };
  Times kernels, transfers;
  Times memory_bound;  // kernels that wait for memory longer than they compute
  std::vector<Exchange> exchanges;
  Duration first = Duration::max(), last = Duration::min();
  std::array<Duration, 2> run{};  // of AIC and of AIV
  double operations = 0, bytes = 0, rows = 0;
  std::array<std::uint8_t, 3> fill{kNoFill, kNoFill, kNoFill};
  std::map<std::uint32_t, std::uint16_t> kernels_of;  // number of kernels by name
  std::size_t products = 0;                           // kernels that run on AIC
  std::size_t unfinished = 0;                         // kernels without a duration
  std::optional<StepTime::Told> told;                 // by step_trace_time.csv

  bool seen() const { return first <= last; }
  void reach(Duration from, Duration to) {
    first = std::min(first, from);
    last = std::max(last, to);
  }
};

// Builds a job from the content of a profiler's directories.
class JobReader final : public AscendSink {
 public:
  // Keeps up to `most` records of each kind in full: of the ranks beyond them, sums alone.
  JobReader(ProfiledJob& to, std::size_t most) : to_(to), most_(most) {}
  void read(const std::filesystem::path& path, const ProfiledJob::MachineOf& machine);

 private:
  // In job_reader.cpp: tables of kernels, and exchanges of ranks.
  void begin(std::span<const ProfiledHome> homes) override;
  void begin_rank(const ProfiledHome& home) override;
  void table(const std::string& name, const KernelColumns& columns) override;
  void kernel(std::uint32_t rank, const KernelRow& row, std::size_t line) override;
  void unfinished(std::uint32_t rank, const KernelRow& row) override;
  void exchange(std::uint32_t rank, const RecordedExchange& seen) override;
  void packets(std::uint32_t, std::uint64_t, double, Duration) override {}
  void link(std::uint32_t rank, const RecordedLink& seen) override;
  void step_time(std::uint32_t rank, const ToldStep& told) override;
  void group(const std::string& name, const std::string& use, std::span<const std::uint32_t> ranks) override;
  void end_rank(const ProfiledHome& home) override;
  bool is_of_step(const KernelRow& row) const { return row.step || !has_.steps; }
  void add_work(const KernelRow& row, OperatorRecord& record, GatheredRankStep& to);
  std::uint32_t name(const std::string& text);
  FullStep& step(std::uint64_t number);
  GatheredRankStep& seen(std::uint64_t number, std::uint32_t rank) { return seen_[number][rank]; }
  // Counts a record; throws InputError if there are too many. Exchanges and links are kept of all ranks, so of them there may be
  // more.
  void count(std::size_t& records, std::string_view what, std::size_t times = 1) const;
  static constexpr std::size_t kOfAllRanks = 5;  // times as many
  // Returns whether the records of one more rank like the largest one so far have room.
  bool has_room();
  // Returns the number of "step12"; 0 for profiles without steps.
  std::uint64_t number_of(std::string_view step, std::uint32_t rank) const;

  // In job_time_line.cpp: trace_view.json.
  std::span<const std::string_view> wanted_arguments() const override;
  void event(std::uint32_t rank, const TraceEvent& event, Duration time) override;
  void add_fill(std::uint32_t rank, const TraceEvent& event, Duration time);
  void add_transfer(std::uint32_t rank, const TraceEvent& event, Duration start);
  void add_host(std::uint32_t rank, const TraceEvent& event, HostKind kind, Duration start);
  std::uint16_t plane(const std::string& link);
  // Returns the last step of a rank that had begun.
  std::uint64_t step_at(Duration time) const;

  // In job_kernels.cpp: what binds kernels.
  void sum_up(std::uint32_t rank, const KernelRow& row, std::size_t line, Duration before);
  // In job_groups.cpp: communicators.
  std::uint32_t group_of(std::string_view exchange, std::uint32_t rank);
  std::uint32_t call_of(std::string_view name);
  void name_groups();
  // In job_links.cpp: who sends how fast to whom.
  void number_links();
  // In job_accounts.cpp: where the time of ranks goes.
  void compare_exchanges();
  void account();
  void tell_differences();

  // In job_light.cpp: what follows from all of it.
  void align_clocks(const ProfiledClocks& clocks);
  void leave_out_stepless();
  void leave_out_unfinished();
  void leave_out_without_kernels();
  void leave_out(std::uint64_t number, const std::set<std::uint32_t>& ranks);
  bool exchanges_seen(std::uint32_t rank) const;
  void take_machine(const ProfiledJob::MachineOf& machine);
  void find_transfers();
  void find_clocks();
  LightRecord light(std::uint32_t step, std::uint32_t rank, GatheredRankStep& seen_rank_step,
                    Duration& released) const;
  // Returns whether rows and operations were counted in the same way on all ranks.
  bool counts_alike() const {
    return (shaped_ == 0 || shaped_ == tables_) && (with_cores_ == 0 || with_cores_ == tables_);
  }
  void make_light();
  void tell_sparse_steps();
  void tell_unseen_ranks();
  void tell_missing();
  void tell_missing_of_tables();
  void tell_missing_of_kineto();

  ProfiledJob& to_;
  std::size_t most_;
  bool in_full_ = true;             // the rank that is being read
  std::set<std::uint32_t> summed_;  // ranks of which sums alone are kept
  std::array<std::size_t, 4> kept_{},
      largest_{};  // records by kind: when this rank began, of the largest rank
  std::map<std::pair<std::uint32_t, std::string>, std::size_t>
      kernels_of_;  // position among ProfiledTime::kernels
  std::map<std::string, std::uint32_t, std::less<>> groups_, calls_;
  std::set<std::uint32_t> tableless_;     // ranks with communication files alone
  Duration busy_until_{}, last_start_{};  // of the rank that is being read
  std::filesystem::path path_;            // as named by the user, or the folder of the file that he named
  bool kineto_ = false;                   // it is a time line of PyTorch's profiler
  std::uint32_t ranks_ = 0;               // highest profiled rank, plus 1
  std::uint32_t reading_ = 0;             // the rank that is being read
  std::set<std::uint32_t> profiled_;
  std::set<std::uint32_t> stepless_;  // ranks with a table without numbers of steps
  std::set<std::uint32_t> in_exchanges_,
      of_hosts_;  // ranks with exchanges, ranks with events of CANN on the host
  std::map<std::string, std::uint32_t, std::less<>> names_, hosts_;
  std::map<std::uint64_t, FullStep> steps_;  // by the profile's number of the step
  std::map<std::uint64_t, std::vector<std::uint32_t>> lines_;
  std::map<std::uint64_t, std::map<std::uint32_t, GatheredRankStep>> seen_;
  std::map<Duration, std::uint64_t> begins_;  // by begin, of the rank that is being read
  KernelOrder order_;                         // of the rank that is being read
  double fastest_ = 0;                        // clock, Hz
  std::vector<std::string> links_;            // kinds of links, as transfers name them
  std::size_t kernels_ = 0, exchanges_ = 0, transfers_ = 0, host_ = 0, framework_ = 0, link_sums_ = 0;
  struct Has {
    bool machine = false, steps = false, core_times = false, cycles = false, shapes = false, hbm = false,
         blocks = false, pipes = false, waits = false, fill = false, order = true, framework = false;
  } has_;
  // Of tables: how many there are, how many have shapes, and how many have kinds of cores.
  std::size_t tables_ = 0, shaped_ = 0, with_cores_ = 0;
  bool communicates_ =
      false;  // whether the time line has transfers or collectives, also with ranks that are not read
  std::size_t unlike_steps_ = 0;  // in which ranks have different numbers of products
};

}  // namespace a3sim
