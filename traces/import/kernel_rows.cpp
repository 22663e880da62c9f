#include "traces/import/kernel_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr double kMostMicroseconds = 1e9;  // per kernel
constexpr std::size_t kMostTensors = 64, kMostAxes = 16;

}  // namespace

void read_shapes(std::string_view text, std::vector<std::vector<double>>& shapes) {
  shapes.clear();
  std::size_t at = 0;
  while (at < text.size() && shapes.size() < kMostTensors) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    std::vector<double>& axes = shapes.emplace_back();
    while (at < end && axes.size() < kMostAxes) {
      double axis = 0;
      const auto [after, error] = std::from_chars(text.data() + at, text.data() + end, axis);
      if (error == std::errc{} && axis >= 0) axes.push_back(axis);
      at = error == std::errc{} ? static_cast<std::size_t>(after - text.data()) : at + 1;
    }
    at = end + 1;
  }
}

KernelRows::KernelRows(const std::filesystem::path& path, std::optional<std::int64_t>& origin)
    : table_(path), origin_(origin) {
  name_ = table_.needed({"Name", "Op Name"});
  time_ = table_.needed({"Duration(us)", "Task Duration(us)"});
  start_ = table_.place({"Start Time(us)", "Task Start Time(us)"});
  wait_ = table_.place({"Wait Time(us)", "Task Wait Time(us)"});
  blocks_ = table_.place({"Block Num", "Block Dim"});
  mixed_ = table_.place({"Mix Block Num", "Mix Block Dim"});
  hit_ = table_.place({"sim_l2_hit(%)"});
  step_ = table_.place({"Step Id"});
  type_ = table_.place({"Type", "OP Type"});
  core_ = table_.place({"Accelerator Core", "Task Type"});
  in_ = table_.place({"Input Shapes"});
  out_ = table_.place({"Output Shapes"});
  hbm_ = table_.place({"sim_hbm(KB)"});
  l2_ = table_.place({"sim_l2(KB)", "aic_GM_to_L1_datas(KB)"});
  run_ = {table_.place({"aicore_time(us)", "aic_time(us)"}), table_.place({"aiv_time(us)"})};
  work_ = {table_.place({"aic_mac_time(us)"}), table_.place({"aiv_vec_time(us)"})};
  cycles_ = {table_.place({"aic_total_cycles"}), table_.place({"aiv_total_cycles"})};
  clean_ = run_;
  constexpr auto kPipes =
      std::to_array<std::string_view>({"aic_mac", "aic_scalar", "aic_mte1", "aic_mte2", "aic_fixpipe",
                                       "aiv_vec", "aiv_scalar", "aiv_mte2", "aiv_mte3"});
  static_assert(kPipes.size() == std::tuple_size_v<decltype(pipes_)>);
  for (std::size_t p = 0; p < kPipes.size(); ++p) {
    const std::string time = fmt::format("{}_time(us)", kPipes[p]),
                      ratio = fmt::format("{}_ratio", kPipes[p]);
    pipes_[p] = {table_.place({time}), table_.place({ratio})};
  }
  in_types_ = table_.place({"Input Data Types"});
  out_types_ = table_.place({"Output Data Types"});
  in_formats_ = table_.place({"Input Formats"});
  out_formats_ = table_.place({"Output Formats"});
  state_ = table_.place({"OP State"});
  for (const std::string_view core : {"aic", "aiv"}) {
    for (const std::string_view way : {"read", "write"}) {
      const Place moved = table_.place({fmt::format("{}_{}_main_memory_datas(KB)", core, way)});
      if (moved) moved_.push_back(moved);
    }
    for (const std::string_view port : {"r0", "r1"}) {
      const auto hits = table_.place({fmt::format("{}_{}_read_cache_hit", core, port)});
      const auto misses = table_.place({fmt::format("{}_{}_read_cache_miss_allocate", core, port)});
      if (hits && misses) counted_.emplace_back(hits, misses);
    }
  }
}

bool KernelRows::next() {
  while (true) {
    try {
      if (!table_.next()) break;
      read_row();
      ++rows_;
      return true;
    } catch (const DamagedRow& error) {
      if (damaged_++ == 0) damage_ = error.what();
    }
  }
  // A table of which nothing can be read is none.
  if (rows_ == 0 && damaged_ > 0) throw InputError(damage_);
  return false;
}

void KernelRows::read_row() {
  constexpr double kMostSteps = 1e15;
  row_.name = table_.text(name_);
  row_.type = type_ && table_.text(*type_) != "N/A" ? table_.text(*type_) : "";
  row_.core = core_ ? table_.text(*core_) : "";
  const std::optional<double> step = table_.number(step_, 0, kMostSteps);
  row_.step = step ? std::optional(static_cast<std::uint64_t>(*step)) : std::nullopt;
  const std::optional<double> time = table_.number(time_, 0, kMostMicroseconds);
  row_.time = time ? std::optional(from_microseconds(*time)) : std::nullopt;
  // The wait is negative if the kernel began before the previous one had ended.
  const double wait = table_.number(wait_, -kMostMicroseconds, kMostMicroseconds).value_or(0);
  row_.wait = from_microseconds(std::max(0.0, wait));
  row_.start = table_.time(start_, origin_);
  read_cores();
  row_.hit_rate = hit_rate();
  read_shapes(in_ ? table_.text(*in_) : "", row_.ins);
  read_shapes(out_ ? table_.text(*out_) : "", row_.outs);
  const auto text = [&](Place column) { return column ? table_.text(*column) : std::string(); };
  row_.in_types = text(in_types_);
  row_.out_types = text(out_types_);
  row_.in_formats = text(in_formats_);
  row_.out_formats = text(out_formats_);
  row_.state = text(state_);
  read_pipes();
}

// Reads how busy the pipes were. Times and ratios are means over the cores of their kind, which may run for a shorter time
// than the kernel.
void KernelRows::read_pipes() {
  constexpr std::size_t kOfCube = 5;  // the pipes of AIC come first
  row_.pipes.reset();
  if (!row_.time || *row_.time <= Duration::zero()) return;
  std::array<float, 9> busy{};
  bool any = false;
  for (std::size_t p = 0; p < pipes_.size(); ++p) {
    const double took = microseconds(*row_.time);
    const double clean = table_.number(clean_[p < kOfCube ? 0 : 1], 0, kMostMicroseconds).value_or(0);
    const std::optional<double> time = table_.number(pipes_[p].time, 0, kMostMicroseconds),
                                ratio = table_.number(pipes_[p].ratio, 0, 1e6);
    if (time)
      busy[p] = static_cast<float>(*time / took);
    else if (ratio)
      busy[p] = static_cast<float>(*ratio * (clean > 0 ? std::min(1.0, clean / took) : 1));
    any = any || busy[p] > 0;
  }
  if (any) row_.pipes = busy;
}

// Reads the cores. A mixed kernel has blocks of the cores that lead it, and mixed blocks of the others.
void KernelRows::read_cores() {
  constexpr double kMostBlocks = 1e5, kMostKilobytes = 1e15, kMostCycles = 1e18;
  const double blocks = table_.number(blocks_, 0, kMostBlocks).value_or(0);
  const double mixed = table_.number(mixed_, 0, kMostBlocks).value_or(0);
  const std::size_t leads = row_.is_matrix() ? 0 : 1;
  row_.cores[leads] = static_cast<std::uint32_t>(blocks);
  row_.cores[1 - leads] = static_cast<std::uint32_t>(mixed);
  for (std::size_t core = 0; core < run_.size(); ++core) {
    const double on = core != leads && mixed > 0 ? mixed : blocks;
    row_.run[core] = from_microseconds(on * table_.number(run_[core], 0, kMostMicroseconds).value_or(0));
    row_.arithmetic[core] =
        from_microseconds(on * table_.number(work_[core], 0, kMostMicroseconds).value_or(0));
    row_.cycles[core] = table_.number(cycles_[core], 0, kMostCycles).value_or(0);
  }
  row_.hbm_bytes = 1024 * table_.number(hbm_, 0, kMostKilobytes).value_or(0);
  for (const Place& moved : moved_)
    row_.hbm_bytes += 1024 * table_.number(moved, 0, kMostKilobytes).value_or(0);
  row_.l2_bytes = 1024 * table_.number(l2_, 0, kMostKilobytes).value_or(0);
}

// Returns the hit rate of reads, as simulated profiles have it, or from the counters of the group L2Cache.
std::optional<double> KernelRows::hit_rate() const {
  if (hit_) {
    const std::optional<double> percent = table_.number(hit_, 0, 100);
    return percent ? std::optional(*percent / 100) : std::nullopt;
  }
  constexpr double kMostRequests = 1e18;
  double hits = 0, reads = 0;
  for (const auto& [hit, miss] : counted_) {
    const double found = table_.number(hit, 0, kMostRequests).value_or(0);
    hits += found;
    reads += found + table_.number(miss, 0, kMostRequests).value_or(0);
  }
  return reads > 0 ? std::optional(hits / reads) : std::nullopt;
}

}  // namespace a3sim
