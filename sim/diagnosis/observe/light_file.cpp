#include "sim/diagnosis/observe/light_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "sim/core/error.h"
#include "sim/core/open_file.h"

namespace a3sim {
namespace {

constexpr std::size_t kBufferedRecords = 16384;
constexpr std::size_t kMostOfStep = 4'000'000;  // records

static_assert(std::endian::native == std::endian::little && std::is_trivially_copyable_v<LightRecord>);
static_assert(sizeof(LightRecord) == 96, "records are written as they stand in memory, without gaps");

std::ifstream open_light_file(const std::filesystem::path& path) {
  try {
    return open_file(path);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}; 'a3sim run --steps' writes it", error.what()));
  }
}

}  // namespace

// Four independent products of 8 bytes each run at the speed of memory.
void LightChecksum::add(std::span<const LightRecord> records) {
  constexpr std::uint64_t kFactor = 0x9fb21c651e98df25;
  constexpr std::size_t kWords = sizeof(LightRecord) / sizeof(std::uint64_t);
  for (const LightRecord& record : records) {
    std::array<std::uint64_t, kWords> words;
    std::memcpy(words.data(), &record, sizeof record);
    for (std::size_t w = 0; w < kWords; ++w) {
      std::uint64_t& lane = lanes_[w % 4];
      lane = std::rotl((lane ^ words[w]) * kFactor, 29);
    }
  }
  count_ += records.size();
}

std::uint64_t LightChecksum::value() const {
  std::uint64_t sum = count_;
  for (const std::uint64_t lane : lanes_) sum = (std::rotl(sum, 17) ^ lane) * 0xbf58476d1ce4e5b9;
  return sum ^ (sum >> 32);
}

std::string light_file(std::span<const LightRecord> records, LightHeader header) {
  LightChecksum checksum;
  checksum.add(records);
  header.records = records.size();
  header.checksum = checksum.value();
  std::string bytes(sizeof header + records.size_bytes(), '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!records.empty()) std::memcpy(bytes.data() + sizeof header, records.data(), records.size_bytes());
  return bytes;
}

LightFile::LightFile(const std::filesystem::path& path) : path_(path) {
  constexpr std::uint32_t kMostRanks = 1 << 20, kMostGroups = 1 << 16;
  std::ifstream in = open_light_file(path);
  LightHeader read;
  const LightHeader ours;
  in.read(reinterpret_cast<char*>(&read), sizeof read);
  if (in.gcount() < static_cast<std::streamsize>(sizeof read) ||
      std::memcmp(read.magic, ours.magic, sizeof ours.magic) != 0)
    refuse("is no file of light records");
  if (read.version != ours.version || read.record_size != ours.record_size)
    refuse(fmt::format("is of version {} with {} bytes a record; this a3sim reads version {} with {}",
                       read.version, read.record_size, ours.version, ours.record_size));
  if (read.ranks == 0 || read.ranks > kMostRanks || read.passes == 0 || read.passes > kMostGroups ||
      read.groups == 0 || read.groups > kMostGroups)
    refuse(fmt::format("its header names {} ranks, {} passes and {} groups", read.ranks, read.passes,
                       read.groups));
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const std::uintmax_t held = error || size < sizeof read ? 0 : (size - sizeof read) / sizeof(LightRecord);
  if (held != read.records || size != sizeof read + held * sizeof(LightRecord))
    refuse(fmt::format("is cut off or too long: its header names {} records, which {} bytes do not hold",
                       read.records, size));
  header_ = read;
}

void LightFile::refuse(const std::string& why) const {
  throw InputError(fmt::format("{}: {}", path_.string(), why));
}

void LightFile::check(const LightRecord& record, std::uint64_t number) const {
  const auto bad = [&](const std::string& why) { refuse(fmt::format("record {}: {}", number, why)); };
  if (record.step >= header_.steps)
    bad(fmt::format("of step {}, but the job has {}", record.step, header_.steps));
  if (record.rank >= header_.ranks)
    bad(fmt::format("of rank {}, but the job has {}", record.rank, header_.ranks));
  if (record.pass >= header_.passes || record.group >= header_.groups)
    bad(fmt::format("of pass {} and group {}, but the job has {} and {}", record.pass, record.group,
                    header_.passes, header_.groups));
  if (record.whom != kNone && record.whom >= header_.ranks)
    bad(fmt::format("waits for rank {}, but the job has {}", record.whom, header_.ranks));
  if (record.start < Duration::zero() || record.arrival < record.start || record.release < record.arrival)
    bad("its times contradict each other");
  if (record.waited < Duration::zero() || record.longest < Duration::zero())
    bad("it waits for less than no time");
}

void LightFile::each_step(
    const std::function<void(std::uint32_t, std::span<const LightRecord>)>& take) const {
  std::ifstream in = open_file(path_);
  in.seekg(sizeof(LightHeader));
  LightChecksum checksum;
  std::vector<LightRecord> step, buffer(std::min<std::uint64_t>(kBufferedRecords, header_.records));
  for (std::uint64_t number = 0; number < header_.records;) {
    const std::uint64_t count = std::min<std::uint64_t>(buffer.size(), header_.records - number);
    in.read(reinterpret_cast<char*>(buffer.data()),
            static_cast<std::streamsize>(count * sizeof(LightRecord)));
    if (!in) refuse("cannot be read to its end");
    const std::span<const LightRecord> records(buffer.data(), count);
    checksum.add(records);
    for (const LightRecord& record : records) {
      check(record, number);
      if (!step.empty() && record.step != step.back().step) {
        if (record.step < step.back().step) refuse(fmt::format("record {}: its step comes too late", number));
        take(step.back().step, step);
        step.clear();
      }
      step.push_back(record);
      if (step.size() > kMostOfStep) refuse(fmt::format("record {}: too many of one step", number));
      ++number;
    }
  }
  if (checksum.value() != header_.checksum) refuse("is damaged: its checksum is not that of its records");
  if (!step.empty()) take(step.back().step, step);
}

}  // namespace a3sim
