#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/import/profiled_table.h"

namespace a3sim {

// A kernel, from a line of kernel_details.csv or op_summary_*.csv. Values without a column are empty or
// zero.
struct KernelRow {
  std::string name, type, core;  // type: the operator that it computes, as MatMulV3
  std::optional<std::uint64_t> step;
  std::optional<Duration> start, time;
  Duration wait{};
  std::array<std::uint32_t, 2> cores{};  // AIC and AIV that ran it; of both only if it is mixed
  // Times of AIC and of AIV, summed over the cores that ran it. (Tables have means.)
  std::array<Duration, 2> run{}, arithmetic{};
  std::array<double, 2> cycles{};
  double hbm_bytes = 0, l2_bytes = 0;
  std::optional<double> hit_rate;              // of its reads, in the L2
  std::vector<std::vector<double>> ins, outs;  // shapes of its inputs and outputs
  std::string in_types, out_types, in_formats, out_formats, state;
  // Part of its duration in which each pipe was busy.
  std::optional<std::array<float, 9>> pipes;

  std::uint32_t workers() const { return cores[0] + cores[1]; }
  // True if it is a collective, which ranks run together and no core computes.
  bool is_collective() const {
    return name.starts_with("hcom_") || core == "HCCL" || core == "COMMUNICATION";
  }
  // True if it runs on AIC, alone or with AIV.
  bool is_matrix() const { return core != "AI_VECTOR_CORE" && core != "AI_CPU" && core != "MIX_AIV"; }
};

// The columns that a table has.
struct KernelColumns {
  bool steps = false, core_times = false, cycles = false, shapes = false, blocks = false, cores = false,
       hbm = false, pipes = false;
};

// Reads "81920,4096;8192,512", with quotes of its own: axes of tensors. Leaves out what is no number.
void read_shapes(std::string_view text, std::vector<std::vector<double>>& shapes);

// Reads such a table row by row. Leaves out rows that are damaged. All functions throw InputError with file and line.
class KernelRows {
 public:
  // `origin` is the time, in whole microseconds, from which the profile's times count: that of its first
  // kernel.
  KernelRows(const std::filesystem::path& path, std::optional<std::int64_t>& origin);

  // Returns false at the end. A row is valid until the next call. Throws if no row at all can be read.
  bool next();
  // Returns how many rows were left out, and what is wrong with the first of them.
  std::size_t damaged() const { return damaged_; }
  const std::string& damage() const { return damage_; }
  const KernelRow& row() const { return row_; }
  const std::string& name() const { return table_.name(); }
  std::size_t line() const { return table_.line(); }

  KernelColumns columns() const {
    return {.steps = step_.has_value(),
            .core_times = run_[0] || run_[1],
            .cycles = cycles_[0] || cycles_[1],
            .shapes = in_ && out_,
            .blocks = blocks_.has_value(),
            .cores = core_.has_value(),
            .hbm = hbm_ || !moved_.empty(),
            .pipes = std::ranges::any_of(pipes_, [](const Pipes& pipe) { return pipe.time || pipe.ratio; })};
  }

 private:
  void read_row();
  void read_cores();
  void read_pipes();
  std::optional<double> hit_rate() const;

  using Place = ProfiledTable::Place;
  ProfiledTable table_;
  std::optional<std::int64_t>& origin_;
  KernelRow row_;
  std::size_t name_ = 0, time_ = 0;
  struct Pipes {
    ProfiledTable::Place time, ratio;
  };
  std::array<Pipes, 9> pipes_;
  std::array<Place, 2> clean_;  // mean times of the cores, of AIC and of AIV
  Place in_types_, out_types_, in_formats_, out_formats_, state_;
  std::size_t rows_ = 0, damaged_ = 0;
  std::string damage_;
  Place start_, wait_, blocks_, mixed_, hit_, step_, type_, core_, in_, out_, hbm_, l2_;
  std::array<Place, 2> run_, work_, cycles_;      // of AIC and of AIV
  std::vector<Place> moved_;                      // bytes read and written in the HBM
  std::vector<std::pair<Place, Place>> counted_;  // pairs of hits and misses
};

}  // namespace a3sim
