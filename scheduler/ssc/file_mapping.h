#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace a3sim {

// Maps a file read-only for the lifetime of this object. The file must not be truncated meanwhile; replacing
// it, as atomic writing does, is harmless. The mapping starts at a page boundary, so data keeps the alignment
// that it has in the file.
class FileMapping {
 public:
  FileMapping() = default;
  // Throws InputError with the file's name if it cannot be read or is not a regular file.
  explicit FileMapping(const std::filesystem::path& path);
  ~FileMapping();
  FileMapping(FileMapping&& other) noexcept;
  FileMapping& operator=(FileMapping&& other) noexcept;

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace a3sim
