#include "scheduler/ssc/file_mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw InputError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

// Closes the descriptor after mapping, successful or not.
struct Descriptor {
  int fd;
  ~Descriptor() { ::close(fd); }
};

}  // namespace

FileMapping::FileMapping(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait forever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(path, "cannot open");
  const Descriptor descriptor{fd};
  struct stat status{};
  if (::fstat(fd, &status) != 0) fail(path, "cannot open");
  if (!S_ISREG(status.st_mode)) throw InputError(path.string() + ": not a regular file");
  if (status.st_size == 0) return;
  void* data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) fail(path, "cannot map");
  data_ = static_cast<const std::uint8_t*>(data);
  size_ = static_cast<std::size_t>(status.st_size);
}

FileMapping::~FileMapping() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

FileMapping::FileMapping(FileMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace a3sim
