#include "sim/result/cable_files.h"

#include <algorithm>
#include <cmath>

#include "traces/csv_rows.h"
#include "traces/trace_csv.h"

namespace a3sim {
namespace {

// The bytes that a cable carried between two times.
struct CarriedRow {
  std::string_view cable;
  Duration from{}, to{};
  std::uint64_t bytes = 0;

  static constexpr auto columns() {
    using R = CarriedRow;
    return std::tuple{CsvColumn{"cable", &R::cable}, CsvColumn{"from_ps", &R::from},
                      CsvColumn{"to_ps", &R::to}, CsvColumn{"bytes", &R::bytes}};
  }
};

struct TrafficRow {
  std::string_view cable;
  std::uint32_t src = 0, dst = 0;
  std::uint64_t bytes = 0;

  static constexpr auto columns() {
    using R = TrafficRow;
    return std::tuple{CsvColumn{"cable", &R::cable}, CsvColumn{"src", &R::src}, CsvColumn{"dst", &R::dst},
                      CsvColumn{"bytes", &R::bytes}};
  }
};

std::uint64_t whole_bytes(double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); }

CableUse* cable_called(std::vector<CableUse>& cables, std::string_view name) {
  const auto found = std::ranges::find(cables, name, &CableUse::name);
  return found == cables.end() ? nullptr : &*found;
}

}  // namespace

std::string cables_csv(const std::vector<CableUse>& cables, Duration makespan) {
  std::string csv = csv_header<CarriedRow>();
  for (const CableUse& cable : cables) {
    const auto stretches = static_cast<std::int64_t>(cable.over_time.size());
    for (std::int64_t s = 0; s < stretches; ++s) {
      CarriedRow row{cable.name, makespan * s / stretches, makespan * (s + 1) / stretches};
      row.bytes = whole_bytes(cable.over_time[static_cast<std::size_t>(s)] *
                              static_cast<double>(cable.rate.count) * seconds(row.to - row.from));
      append_row(csv, row);
    }
  }
  return csv;
}

std::string cable_traffic_csv(const std::vector<CableUse>& cables) {
  std::string csv = csv_header<TrafficRow>();
  for (const CableUse& cable : cables) {
    for (const CableTraffic& traffic : cable.traffic)
      append_row(csv, TrafficRow{cable.name, traffic.src, traffic.dst, whole_bytes(traffic.bytes)});
  }
  return csv;
}

void add_cable_files(const std::string& pass, const Trace& trace, const std::vector<CableUse>& cables,
                     std::vector<NamedFile>& files) {
  if (!trace.links.empty()) files.push_back({"links_" + pass + ".csv", links_csv(trace)});
  if (cables.empty()) return;
  files.push_back({"cables_" + pass + ".csv", cables_csv(cables, trace.makespan)});
  files.push_back({"cable_traffic_" + pass + ".csv", cable_traffic_csv(cables)});
}

void read_cables_csv(std::string_view csv, const std::string& file, std::vector<CableUse>& cables) {
  CsvReader<CarriedRow> reader(csv, file);
  for (CarriedRow row; reader.next(row);) {
    CableUse* const cable = cable_called(cables, row.cable);
    if (!cable) continue;
    if (row.from >= row.to) reader.fail("from_ps: {} is not before to_ps", row.from.count());
    cable->over_time.push_back(static_cast<double>(row.bytes) / seconds(row.to - row.from) /
                               static_cast<double>(std::max<std::int64_t>(1, cable->rate.count)));
  }
}

void read_cable_traffic_csv(std::string_view csv, const std::string& file, std::vector<CableUse>& cables) {
  CsvReader<TrafficRow> reader(csv, file);
  for (TrafficRow row; reader.next(row);) {
    if (CableUse* const cable = cable_called(cables, row.cable))
      cable->traffic.push_back({row.src, row.dst, static_cast<double>(row.bytes)});
  }
}

}  // namespace a3sim
