#include "traces/import/imported.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "traces/import/text_source.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

enum class Kind : std::uint8_t { kOperator, kExchange, kPackets, kTask };
constexpr auto names_of(Kind) {
  return std::to_array<std::string_view>({"operator", "exchange", "packets", "task"});
}

constexpr std::string_view kHeads =
    "rank,kind,name,index,number,total_ps,least_ps,most_ps,waited_ps,transit_ps,workers,run_ps,arithmetic_ps,"
    "hits_known,hits,hbm_bytes,type\n";
constexpr std::size_t kColumnsOfSums = 17;
// Files from before types lack the last column.
constexpr std::string_view kTypeless = kHeads.substr(0, kHeads.size() - std::string_view(",type\n").size());
constexpr std::int64_t kMostPicoseconds = std::int64_t{1} << 61;

class SumsWriter {
 public:
  std::string take(const Profile& profile) {
    for (const auto& [rank, parts] : profile.ranks) {
      rank_ = rank;
      for (const auto& [name, sum] : parts.operators) add(Kind::kOperator, spreadsheet_cell(name), "", sum);
      for (const auto& [name, sum] : parts.exchanges) add(Kind::kExchange, spreadsheet_cell(name), "", sum);
      for (const auto& [bytes, sum] : parts.packets) add(Kind::kPackets, "", std::to_string(bytes), sum);
      for (const auto& [name, tasks] : parts.tasks) {
        for (const auto& [index, task] : tasks)
          add(Kind::kTask, spreadsheet_cell(name), std::to_string(index),
              {.count = task.count, .total = task.total, .least = task.mean(), .most = task.mean()});
      }
    }
    return std::move(csv_);
  }

 private:
  void add(Kind kind, const std::string& name, const std::string& index, const Occurrences& occurrences) {
    fmt::format_to(std::back_inserter(csv_), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", rank_,
                   name_of(kind), name, index, occurrences.count, occurrences.total.count(),
                   occurrences.count ? occurrences.least.count() : 0, occurrences.most.count(),
                   occurrences.waited.count(), occurrences.transit.count(), occurrences.workers,
                   occurrences.run.count(), occurrences.arithmetic.count(), occurrences.hits_known,
                   occurrences.hits, occurrences.hbm_bytes, spreadsheet_cell(occurrences.type));
  }

  std::string csv_{kHeads};
  std::uint32_t rank_ = 0;
};

class SumsReader {
 public:
  SumsReader(const std::filesystem::path& path, Profile& to) : lines_(path), to_(to) {}
  void read() {
    std::string heads;
    if (lines_.next(cells_)) heads = fmt::format("{}\n", fmt::join(cells_, ","));
    typed_ = heads == kHeads;
    if (!typed_ && heads != fmt::format("{}\n", kTypeless))
      fail("other columns than this a3sim writes: import the profile again");
    while (lines_.next(cells_)) add_line();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", lines_.name(), lines_.line(), why));
  }
  template <class T>
  T number(std::size_t column, T most) const {
    const std::string& text = cells_[column];
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= T{}) || value > most)
      fail(fmt::format("'{}', expected a number from 0 to {}", text, most));
    return value;
  }
  Duration time(std::size_t column) const { return Duration(number<std::int64_t>(column, kMostPicoseconds)); }
  Kind kind() const {
    const auto found = std::ranges::find(kNamesOf<Kind>, cells_[1]);
    if (found == kNamesOf<Kind>.end()) fail(fmt::format("kind: '{}'", cells_[1]));
    return static_cast<Kind>(found - kNamesOf<Kind>.begin());
  }

  Occurrences sums() const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    Occurrences occurrences;
    occurrences.count = number<std::uint64_t>(4, kMost);
    occurrences.total = time(5);
    if (occurrences.count) occurrences.least = time(6);
    occurrences.most = time(7);
    occurrences.waited = time(8);
    occurrences.transit = time(9);
    occurrences.workers = number<std::uint32_t>(10, kNone);
    occurrences.run = time(11);
    occurrences.arithmetic = time(12);
    occurrences.hits_known = number<std::uint64_t>(13, kMost);
    occurrences.hits = number<double>(14, 1e300);
    occurrences.hbm_bytes = number<double>(15, 1e300);
    if (typed_) occurrences.type = printable(cells_[16]);
    return occurrences;
  }

  void add_line() {
    const std::size_t expected = typed_ ? kColumnsOfSums : kColumnsOfSums - 1;
    if (cells_.size() != expected)
      fail(fmt::format("{} cells, expected {}: was the file cut off?", cells_.size(), expected));
    const auto rank = number<std::uint32_t>(0, kNone - 1);
    if (!to_.ranks.contains(rank)) fail(fmt::format("rank {} is not in measured.json", rank));
    const Occurrences occurrences = sums();
    switch (kind()) {
      case Kind::kOperator:
        to_.at(rank, cells_[2]) += occurrences;
        break;
      case Kind::kExchange:
        to_.exchange(rank, cells_[2]) += occurrences;
        break;
      case Kind::kPackets:
        to_.packet(rank, number<std::uint64_t>(3, std::uint64_t{1} << 62)) += occurrences;
        break;
      case Kind::kTask:
        if (TaskTimes* task = to_.task(rank, cells_[2], number<std::uint32_t>(3, kNone - 1)))
          *task = {occurrences.count, occurrences.total};
    }
  }

  ProfileLines lines_;
  Profile& to_;
  std::vector<std::string> cells_;
  bool typed_ = true;
};

nlohmann::ordered_json rank_json(std::uint32_t number, const RankProfile& rank) {
  nlohmann::ordered_json json{{"rank", number}};
  if (const auto& s = rank.steps)
    json["steps"] = {{"length_ps", s->length.count()},
                     {"computing_ps", s->computing.count()},
                     {"communication_ps", s->communication.count()},
                     {"exposed_ps", s->exposed.count()}};
  if (const auto& s = rank.span)
    json["span"] = {
        {"first_ps", s->first.count()}, {"last_ps", s->last.count()}, {"covered_ps", s->covered.count()}};
  if (const auto& c = rank.clock)
    json["clock"] = {{"meetings", c->meetings},
                     {"median_ps", c->median.count()},
                     {"least_ps", c->least.count()},
                     {"most_ps", c->most.count()},
                     {"late_ps", c->late.count()}};
  return json;
}

Duration time_in(const Config& config, std::string_view key, std::int64_t least = 0) {
  return Duration(config.integer(key, least, kMostPicoseconds));
}

void read_rank(const Config& config, RankProfile& rank) {
  if (config.has("steps")) {
    const Config s = config.map("steps");
    rank.steps = TimeSplit{time_in(s, "length_ps"), time_in(s, "computing_ps"),
                           time_in(s, "communication_ps"), time_in(s, "exposed_ps")};
  }
  if (config.has("span")) {
    const Config s = config.map("span");
    rank.span = KernelSpan{time_in(s, "first_ps", -kMostPicoseconds),
                           time_in(s, "last_ps", -kMostPicoseconds), time_in(s, "covered_ps")};
  }
  if (config.has("clock")) {
    const Config c = config.map("clock");
    rank.clock =
        ClockOffset{static_cast<std::size_t>(c.integer("meetings", 1, kMostPicoseconds)),
                    time_in(c, "median_ps", -kMostPicoseconds), time_in(c, "least_ps", -kMostPicoseconds),
                    time_in(c, "most_ps", -kMostPicoseconds), time_in(c, "late_ps")};
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> imported_files(const Profile& profile) {
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"unit", name_of(profile.unit)},
                              {"notes", nlohmann::ordered_json::array()},
                              {"ranks", nlohmann::ordered_json::array()}};
  for (const std::string& note : profile.notes) json["notes"].push_back(printable(note));
  for (const auto& [number, rank] : profile.ranks) json["ranks"].push_back(rank_json(number, rank));
  return {{"measured.json", json.dump(2) + '\n'}, {"measured.csv", SumsWriter().take(profile)}};
}

Profile read_imported(const std::filesystem::path& directory) {
  Diagnostics diagnostics;
  const Config json = Config::load(directory / "measured.json", {}, diagnostics);
  constexpr std::int64_t kProfileVersion = 1;
  if (!json.has("schema_version") || json.integer("schema_version", 0, kNone) != kProfileVersion)
    json.error("schema_version",
               fmt::format("another than {}, that of this a3sim: import the profile again", kProfileVersion));
  Profile profile;
  profile.unit = json.choice<ProfileUnit>("unit");
  profile.notes = json.texts("notes");
  for (const Config& rank : json.maps("ranks"))
    read_rank(rank, profile.ranks[static_cast<std::uint32_t>(rank.integer("rank", 0, kNone - 1))]);
  diagnostics.throw_if_any();
  SumsReader(directory / "measured.csv", profile).read();
  return profile;
}

}  // namespace a3sim
