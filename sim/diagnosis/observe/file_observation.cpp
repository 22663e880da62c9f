#include "sim/diagnosis/observe/file_observation.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/diagnosis/observe/full_csv.h"

namespace a3sim {
namespace {

// Returns the folder of a step's full records. The step without faults and noise has no number.
std::string folder_of(std::uint32_t step) {
  return step == kNone ? std::string(kReferenceFolder) : full_folder(step);
}

// Returns the line of the first record for which `same` returns true. Line 1 holds the columns' names.
template <class Record, class Same>
std::string line_of(const std::vector<Record>& records, std::string_view file, std::uint32_t step,
                    const Same& same) {
  const auto found = std::ranges::find_if(records, same);
  if (found == records.end()) return fmt::format("{}/{}", folder_of(step), file);
  return fmt::format("{}/{}:{}", folder_of(step), file, found - records.begin() + 2);
}

}  // namespace

FileObservation::FileObservation(const std::filesystem::path& directory)
    : directory_(directory), file_(read_job_json(directory / kJobJson)), light_(directory / kLightBin) {
  job_ = file_;
  const LightHeader& header = light_.header();
  if (header.ranks != job_.ranks || header.passes != job_.passes.size() || header.steps != file_.steps ||
      header.groups != file_.groups.size())
    throw InputError(fmt::format("{}: is of another job than {}: {} ranks, {} passes, {} groups and {} steps",
                                 (directory / kLightBin).string(), kJobJson, header.ranks, header.passes,
                                 header.groups, header.steps));
  const std::uint64_t records = std::uint64_t{file_.steps} * job_.ranks * job_.passes.size();
  if (header.records != records)
    throw InputError(fmt::format("{}: has {} records, but {} steps of {} ranks and {} passes have {}",
                                 (directory / kLightBin).string(), header.records, file_.steps, job_.ranks,
                                 job_.passes.size(), records));
}

std::vector<LightRecord> FileObservation::reference() const {
  if (!with_reference_) return {};
  std::vector<LightRecord> records;
  if (!std::filesystem::exists(directory_ / kReferenceBin)) return records;
  LightFile(directory_ / kReferenceBin)
      .each_step([&](std::uint32_t, std::span<const LightRecord> step_records) {
        records.assign(step_records.begin(), step_records.end());
      });
  return records;
}

FullStep FileObservation::read(const std::string& folder, std::uint32_t step) const {
  return read_full(directory_ / folder, step, job_);
}

FullStep FileObservation::reference_full() const {
  if (!with_reference_) return {};
  if (!std::filesystem::exists(directory_ / kReferenceFolder)) return {};
  FullStep full = kept(kNone);
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) full.ranks.push_back(rank);
  return full;
}

std::vector<std::uint32_t> FileObservation::full_steps() const {
  std::vector<std::uint32_t> steps;
  for (const JobFile::Full& full : file_.full) steps.push_back(full.step);
  return steps;
}

FullStep FileObservation::full(std::uint32_t step) const {
  const auto recorded = std::ranges::find(file_.full, step, &JobFile::Full::step);
  if (recorded == file_.full.end())
    throw InputError(fmt::format("{}: step {} was not recorded in full", directory_.string(), step));
  FullStep full = kept(step);
  full.ranks = recorded->ranks;
  return full;
}

const FullStep& FileObservation::kept(std::uint32_t step) const {
  constexpr std::size_t kMostKept = 8;
  const auto found = kept_.find(step);
  if (found != kept_.end()) return found->second;
  if (kept_.size() >= kMostKept) kept_.clear();
  return kept_.emplace(step, read(folder_of(step), step)).first->second;
}

RecordPlace FileObservation::place_of(const LightRecord& record) const {
  // Each rank has one record per pass in every step, since it is in one group of a pass.
  const std::uint64_t passes = job_.passes.size();
  const bool reference = record.step == kNone;
  const std::uint64_t step = reference ? 0 : record.step;
  const std::uint64_t number = (step * job_.ranks + record.rank) * passes + record.pass;
  return fmt::format("{}:{}", reference ? kReferenceBin : kLightBin, number);
}

RecordPlace FileObservation::place_of(const OperatorRecord& record) const {
  return line_of(kept(record.step).operators, kOperatorsCsv, record.step, [&](const OperatorRecord& other) {
    return other.rank == record.rank && other.pass == record.pass && other.op == record.op &&
           other.start == record.start;
  });
}

RecordPlace FileObservation::place_of(const TransferRecord& record) const {
  return line_of(
      kept(record.step).transfers, kTransfersCsv, record.step, [&](const TransferRecord& transfer) {
        return transfer.src == record.src && transfer.dst == record.dst && transfer.op == record.op &&
               transfer.start == record.start && transfer.end == record.end;
      });
}

RecordPlace FileObservation::place_of(const HostRecord& record) const {
  return line_of(kept(record.step).host, kHostCsv, record.step, [&](const HostRecord& event) {
    return event.rank == record.rank && event.kind == record.kind && event.start == record.start;
  });
}

}  // namespace a3sim
