#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"

// The header of a file of light records. Records of a fixed size follow, ordered by step, rank, pass and
// group.
namespace a3sim {

struct LightHeader {
  char magic[8] = {'A', '3', 'L', 'I', 'G', 'H', 'T', '\n'};
  std::uint32_t version = 1;
  std::uint32_t record_size = sizeof(LightRecord);
  std::uint32_t ranks = 0, passes = 0, groups = 0;
  std::uint32_t steps = 0;
  std::uint64_t records = 0;
  std::uint64_t checksum = 0;  // checksum of the records
};
static_assert(sizeof(LightHeader) == 48);

// Computes the checksum of records. The result does not depend on how they are divided among calls of add().
class LightChecksum {
 public:
  void add(std::span<const LightRecord> records);
  std::uint64_t value() const;

 private:
  std::uint64_t lanes_[4] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};
  std::uint64_t count_ = 0;
};

// Returns the bytes of the file.
std::string light_file(std::span<const LightRecord> records, LightHeader header);

// Reads a file of light records. Holds one step at a time.
class LightFile {
 public:
  // Reads the header. Throws InputError with the file's name if the file does not exist, has another version,
  // or has another length than its header says.
  explicit LightFile(const std::filesystem::path& path);

  const LightHeader& header() const { return header_; }
  // Calls `take` for each step. Throws InputError with the record's number for a record that contradicts
  // itself or the header, and for a wrong checksum.
  void each_step(const std::function<void(std::uint32_t step, std::span<const LightRecord>)>& take) const;

 private:
  void check(const LightRecord& record, std::uint64_t number) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::filesystem::path path_;
  LightHeader header_;
};

}  // namespace a3sim
