#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace a3sim {

// A file's bytes, mapped read-only for as long as this lives. The file must not be cut short meanwhile;
// replacing it (as atomic writing does) is harmless. The mapping starts on a page, so everything in it is
// aligned as in the file.
class FileMapping {
 public:
  FileMapping() = default;
  // Throws InputError that names the file if it cannot be read or is not a regular file.
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
