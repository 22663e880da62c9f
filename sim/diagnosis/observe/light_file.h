#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"

// Light records on disk: a header, then records of a fixed size, in the order of steps, ranks, passes and groups.
namespace a3sim {

struct LightHeader {
  char magic[8] = {'A', '3', 'L', 'I', 'G', 'H', 'T', '\n'};
  std::uint32_t version = 1;
  std::uint32_t record_size = sizeof(LightRecord);
  std::uint32_t ranks = 0, passes = 0, groups = 0;
  std::uint32_t steps = 0;
  std::uint64_t records = 0;
  std::uint64_t checksum = 0;  // of the records
};
static_assert(sizeof(LightHeader) == 48);

// Of a file's records, whatever the pieces that they come in, as long as these are whole records.
class LightChecksum {
 public:
  void add(std::span<const LightRecord> records);
  std::uint64_t value() const;

 private:
  std::uint64_t lanes_[4] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};
  std::uint64_t count_ = 0;
};

// The file's bytes.
std::string light_file(std::span<const LightRecord> records, LightHeader header);

// Reads a file record by record: never more than a step of it is held.
class LightFile {
 public:
  // Reads the header. Throws InputError, which names the file and what is wrong with it, for no such file, another
  // version, or another length than the header says.
  explicit LightFile(const std::filesystem::path& path);

  const LightHeader& header() const { return header_; }
  // One call a step. Throws InputError, with the record's number, for records that contradict themselves or the
  // header, and where the checksum is another one.
  void each_step(const std::function<void(std::uint32_t step, std::span<const LightRecord>)>& take) const;

 private:
  void check(const LightRecord& record, std::uint64_t number) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::filesystem::path path_;
  LightHeader header_;
};

}  // namespace a3sim
