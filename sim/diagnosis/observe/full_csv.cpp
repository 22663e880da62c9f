#include "sim/diagnosis/observe/full_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>

#include "sim/core/error.h"
#include "sim/core/open_file.h"

namespace a3sim {
namespace {

constexpr std::string_view kOperatorColumns =
    "rank,pass,operator,lane,core,start_ps,end_ps,wait_ps,run_ps,arithmetic_ps,operations,hbm_bytes,l2_bytes,"
    "sent_bytes,rows,inner,clock\n";
constexpr std::string_view kTransferColumns =
    "src,dst,pass,operator,plane,start_ps,end_ps,bytes,beside,lost_sharing_us\n";
constexpr std::string_view kHostColumns = "rank,kind,start_ps,end_ps,count\n";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{512} << 20;  // per table

// Prints a number, or nothing if it was not recorded.
std::string cell(float number) { return std::isnan(number) ? "" : fmt::format("{}", number); }

// Reads a table line by line and cell by cell.
class FullCsv {
 public:
  FullCsv(const std::filesystem::path& path, std::string_view columns) : path_(path) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) throw InputError(path.string() + ": cannot be read; 'a3sim run --steps' writes it");
    if (size > kMostBytes) throw InputError(path.string() + ": is larger than 512 MiB");
    std::ifstream in = open_file(path);
    text_.assign(std::istreambuf_iterator<char>(in), {});
    rest_ = text_;
    if (!rest_.starts_with(columns))
      throw InputError(
          fmt::format("{}:1: expected the columns {}", path.string(), columns.substr(0, columns.size() - 1)));
    rest_.remove_prefix(columns.size());
  }

  bool next_line() {
    if (rest_.empty()) return false;
    ++line_;
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) bad("is cut off");
    cells_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    more_ = true;
    return true;
  }
  std::string_view text() {
    if (!more_) bad("has too few cells");
    const std::size_t comma = cells_.find(',');
    const std::string_view cell = cells_.substr(0, comma);
    more_ = comma != std::string_view::npos;
    if (more_) cells_.remove_prefix(comma + 1);
    return cell;
  }
  template <class Number>
  Number number(Number least, Number most) {
    const std::string_view cell = text();
    Number value{};
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !(value >= least && value <= most))
      bad(fmt::format("'{}' is no number from {} to {}", cell.substr(0, 40), least, most));
    return value;
  }
  double amount() { return number<double>(0, 1e30); }
  Duration time() { return Duration(number<std::int64_t>(0, std::int64_t{1} << 62)); }
  std::uint32_t below(std::uint32_t end) { return number<std::uint32_t>(0, end - 1); }
  float seen() {
    if (more_ && (cells_.empty() || cells_.front() == ',')) return text(), kUnseen;
    return static_cast<float>(number<double>(-1e30, 1e30));
  }
  template <class Names, class Name = std::identity>
  std::uint32_t one_of(const Names& names, Name name = {}) {
    const std::string_view cell = text();
    const auto found = std::ranges::find(names, cell, name);
    if (found == names.end()) bad(fmt::format("nothing is called '{}'", cell.substr(0, 40)));
    return static_cast<std::uint32_t>(found - names.begin());
  }
  void end_line(Duration start, Duration end) {
    if (more_) bad("has too many cells");
    if (end < start) bad("ends before it starts");
  }
  [[noreturn]] void bad(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", path_.string(), line_, why));
  }

 private:
  std::filesystem::path path_;
  std::string text_;
  std::string_view rest_, cells_;
  std::size_t line_ = 1;
  bool more_ = false;
};

}  // namespace

std::string operators_csv(const FullStep& step, const std::vector<std::string>& names,
                          const std::vector<std::string>& passes) {
  std::string csv(kOperatorColumns);
  for (const OperatorRecord& o : step.operators) {
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", o.rank,
                   passes[o.pass], names[o.op], name_of(o.lane), name_of(o.core), o.start.count(),
                   o.end.count(), o.wait.count(), o.run.count(), o.arithmetic.count(), o.operations,
                   o.hbm_bytes, o.l2_bytes, o.sent_bytes, o.rows, o.inner, cell(o.clock));
  }
  return csv;
}

std::string transfers_csv(const FullStep& step, const std::vector<std::string>& names,
                          const std::vector<std::string>& passes, const ObservedMachine& machine) {
  std::string csv(kTransferColumns);
  for (const TransferRecord& t : step.transfers) {
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{}\n", t.src, t.dst, passes[t.pass],
                   names[t.op], machine.planes[t.plane].name, t.start.count(), t.end.count(), t.bytes,
                   cell(t.beside), cell(t.lost_sharing));
  }
  return csv;
}

std::string host_csv(const FullStep& step) {
  std::string csv(kHostColumns);
  for (const HostRecord& h : step.host)
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{}\n", h.rank, name_of(h.kind), h.start.count(),
                   h.end.count(), h.count);
  return csv;
}

FullStep read_full(const std::filesystem::path& folder, std::uint32_t step, const ObservedJob& job) {
  FullStep full;
  full.step = step;
  FullCsv operators(folder / kOperatorsCsv, kOperatorColumns);
  while (operators.next_line()) {
    OperatorRecord& o = full.operators.emplace_back();
    o.step = step;
    o.rank = operators.below(job.ranks);
    o.pass = static_cast<std::uint16_t>(operators.one_of(job.passes));
    o.op = operators.one_of(job.names);
    o.lane = static_cast<Lane>(operators.one_of(kNamesOf<Lane>));
    o.core = static_cast<CoreKind>(operators.one_of(kNamesOf<CoreKind>));
    o.start = operators.time();
    o.end = operators.time();
    o.wait = operators.time();
    o.run = operators.time();
    o.arithmetic = operators.time();
    o.operations = operators.amount();
    o.hbm_bytes = operators.amount();
    o.l2_bytes = operators.amount();
    o.sent_bytes = operators.amount();
    o.rows = operators.below(kNone);
    o.inner = operators.below(kNone);
    o.clock = operators.seen();
    operators.end_line(o.start, o.end);
  }
  FullCsv transfers(folder / kTransfersCsv, kTransferColumns);
  while (transfers.next_line()) {
    TransferRecord& t = full.transfers.emplace_back();
    t.step = step;
    t.src = transfers.below(job.ranks);
    t.dst = transfers.below(job.ranks);
    t.pass = static_cast<std::uint16_t>(transfers.one_of(job.passes));
    t.op = transfers.one_of(job.names);
    t.plane = static_cast<std::uint16_t>(transfers.one_of(job.machine.planes, &ObservedPlane::name));
    t.start = transfers.time();
    t.end = transfers.time();
    t.bytes = transfers.amount();
    t.beside = transfers.seen();
    t.lost_sharing = transfers.seen();
    transfers.end_line(t.start, t.end);
  }
  FullCsv host(folder / kHostCsv, kHostColumns);
  while (host.next_line()) {
    HostRecord& h = full.host.emplace_back();
    h.step = step;
    h.rank = host.below(job.ranks);
    h.kind = static_cast<HostKind>(host.one_of(kNamesOf<HostKind>));
    h.start = host.time();
    h.end = host.time();
    h.count = host.below(kNone);
    host.end_line(h.start, h.end);
  }
  return full;
}

}  // namespace a3sim
