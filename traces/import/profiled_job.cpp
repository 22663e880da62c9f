#include "traces/import/profiled_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "traces/import/job_reader.h"
#include "traces/import/kineto.h"

namespace a3sim {

namespace {

RecordPlace in_time_line(const std::string& folder, Duration time) {
  return fmt::format("{}/trace_view.json: {:.3f} ms after the first kernel", folder, milliseconds(time));
}

}  // namespace

bool is_job_profile(const std::filesystem::path& path) {
  return is_kineto_profile(path) || is_ascend_profile(path);
}

ProfiledJob::ProfiledJob(const std::filesystem::path& path, const MachineOf& machine,
                         std::size_t most_records) {
  job_.passes = {"step"};
  JobReader(*this, most_records).read(path, machine);
}

void ProfiledJob::each_step(const Step& take) const {
  for (std::uint32_t step = 0; step < light_.size(); ++step) take(step, light_[step]);
}

std::vector<std::uint32_t> ProfiledJob::full_steps() const {
  std::vector<std::uint32_t> steps(steps_.size());
  std::iota(steps.begin(), steps.end(), 0U);
  return steps;
}

RecordPlace ProfiledJob::place_of(const LightRecord& record) const {
  return fmt::format("{}: step {}", tables_[record.rank], number_of(record.step));
}

RecordPlace ProfiledJob::place_of(const OperatorRecord& record) const {
  const std::vector<OperatorRecord>& records = steps_.at(record.step).operators;
  const auto found = std::ranges::find_if(records, [&](const OperatorRecord& other) {
    return other.rank == record.rank && other.op == record.op && other.pass == record.pass &&
           other.lane == record.lane;
  });
  const std::uint32_t line =
      found == records.end() ? 0 : lines_[record.step][static_cast<std::size_t>(found - records.begin())];
  return line == 0 ? fmt::format("{}: step {}", tables_[record.rank], number_of(record.step))
                   : fmt::format("{}:{}", tables_[record.rank], line);
}

RecordPlace ProfiledJob::place_of(const TransferRecord& record) const {
  return in_time_line(folders_[record.src], record.start);
}

RecordPlace ProfiledJob::place_of(const HostRecord& record) const {
  return in_time_line(folders_[record.rank], record.start);
}

}  // namespace a3sim
