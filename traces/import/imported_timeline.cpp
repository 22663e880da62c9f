#include "traces/import/imported_timeline.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "sim/core/read_file.h"
#include "traces/csv_rows.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostKernels = 500'000;          // that are kept
constexpr std::uint32_t kMostProfiledRanks = 100'000;  // keeps a damaged file from taking memory

// A line of the file. Times count from the first kernel.
struct ImportedKernel {
  std::uint32_t step = 0, rank = 0;
  std::string_view name;
  Lane lane = Lane::kCompute;
  CoreKind core = CoreKind::kNoCore;
  Duration start{}, end{}, wait{};

  static constexpr auto columns() {
    using Row = ImportedKernel;
    return std::make_tuple(
        CsvColumn<Row, std::uint32_t>{"step", &Row::step}, CsvColumn<Row, std::uint32_t>{"rank", &Row::rank},
        CsvColumn<Row, std::string_view>{"name", &Row::name}, CsvColumn<Row, Lane>{"lane", &Row::lane},
        CsvColumn<Row, CoreKind>{"core", &Row::core}, CsvColumn<Row, Duration>{"start_ps", &Row::start},
        CsvColumn<Row, Duration>{"end_ps", &Row::end}, CsvColumn<Row, Duration>{"wait_ps", &Row::wait});
  }
};

}  // namespace

std::string kernels_csv(const Observation& job) {
  std::vector<FullStep> steps;
  std::size_t kernels = 0;
  Duration first = Duration::max();
  for (const std::uint32_t number : job.full_steps()) {
    FullStep step = job.full(number);
    kernels += step.operators.size();
    if (kernels > kMostKernels) break;
    step.step = job.number_of(number);
    for (const OperatorRecord& record : step.operators) first = std::min(first, record.start);
    steps.push_back(std::move(step));
  }
  if (kernels == 0 || first == Duration::max()) return {};
  std::string csv = csv_header<ImportedKernel>();
  for (const FullStep& step : steps) {
    for (const OperatorRecord& record : step.operators) {
      ImportedKernel row{step.step,   record.rank,          job.names().at(record.op), record.lane,
                         record.core, record.start - first, record.end - first,        record.wait};
      row.wait = std::max(row.wait, Duration::zero());
      append_row(csv, row);
    }
  }
  return csv;
}

ImportedTimeline::ImportedTimeline(const std::filesystem::path& file) {
  const std::string text = read_file(file), name = file.string();
  CsvReader<ImportedKernel> reader(text, name);
  std::unordered_map<std::string, std::uint32_t> names;
  for (ImportedKernel row; reader.next(row);) {
    reader.expect_below("rank", row.rank, kMostProfiledRanks);
    if (row.end < row.start) reader.fail("the kernel ends before it starts");
    const auto [at, added] =
        names.try_emplace(std::string(row.name), static_cast<std::uint32_t>(job_.names.size()));
    if (added) job_.names.emplace_back(row.name);
    FullStep& step = steps_[row.step];
    step.step = row.step;
    OperatorRecord& record = step.operators.emplace_back();
    record.step = row.step;
    record.rank = row.rank;
    record.op = at->second;
    record.lane = row.lane;
    record.core = row.core;
    record.start = row.start;
    record.end = row.end;
    record.wait = row.wait;
    job_.ranks = std::max(job_.ranks, row.rank + 1);
  }
  job_.passes = {"step"};
  job_.nodes.resize(job_.ranks);
}

std::vector<std::uint32_t> ImportedTimeline::full_steps() const {
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, step] : steps_) numbers.push_back(number);
  return numbers;
}

}  // namespace a3sim
