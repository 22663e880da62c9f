#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/units.h"
#include "traces/report/report.h"

namespace a3sim {

// A published change of the layout of a training step: the part of the time that it saves as published, and as predicted.
struct LayoutChange {
  std::string what;  // "FSDP in place of eight stages, Qwen3-235B on 256 H100"
  double published = 0, predicted = 0;
  double error() const { return predicted < published ? published - predicted : predicted - published; }
};

// Reads the changes that were published, as configs/reference/layouts.yaml has them. Runs nothing. Throws InputError if the file
// cannot be read.
std::vector<LayoutChange> layout_changes();

// By how much one layout of a training step is predicted to be faster than another, and what such a prediction is worth.
struct LayoutLead {
  std::string faster, slower;           // names for people: "the first", "A"
  double lead = 0;                      // 1 - time of the faster / time of the slower
  std::array<std::uint32_t, 2> dies{};  // of the faster and the slower one; both 0: not asked for
  std::size_t changes = 0;              // that were published
  LayoutChange worst;                   // the one that is predicted worst

  bool same_dies() const { return dies[0] == dies[1]; }
  // Published changes of layout keep the number of dies, so that they say nothing about steps on more dies.
  bool known() const { return same_dies() && lead > worst.error(); }
  std::string text() const;
};
LayoutLead layout_lead(std::string faster, std::string slower, double faster_time, double slower_time);
// Does the same for two steps by their resolved configurations; nullopt if their layouts do not differ, or if they do not do the
// same work.
std::optional<LayoutLead> layout_lead_between(const std::filesystem::path& a, const std::filesystem::path& b,
                                              const std::array<std::string, 2>& names, Duration time_a,
                                              Duration time_b);
// Says it, for people and programs.
void add_layout_lead(const LayoutLead& lead, Report& report);

// Returns whether a key of a resolved configuration says how a training step is laid out over dies and time.
bool is_layout_key(std::string_view path);
// Returns whether a key says what a training step computes.
bool is_work_key(std::string_view path);

}  // namespace a3sim
