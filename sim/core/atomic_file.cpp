#include "sim/core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/interrupts.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewFile = 0666;  // before the umask
constexpr mode_t kPermissions = 07777;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw RunError(fmt::format("cannot write '{}': {}", path.string(), std::strerror(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // Some file systems report a full disk only here.
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// A file that is removed unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : name_(target), fd_(open_beside(target, name_)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(name_.c_str());
  }
  Descriptor& descriptor() { return fd_; }
  bool rename_to(const fs::path& target) {
    renamed_ = ::rename(name_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  // Another process may write the same target, so the temporary name is unique.
  static int open_beside(const fs::path& target, fs::path& name) {
    constexpr int kMostTries = 10'000;
    for (int i = 0; i < kMostTries; ++i) {
      name = target;
      name += fmt::format(".{}.{}.tmp", ::getpid(), i);
      const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
      if (fd >= 0) return fd;
      if (errno != EEXIST) break;
    }
    fail(target, errno);
  }

  fs::path name_;
  Descriptor fd_;
  bool renamed_ = false;
};

// Throws between two pieces if the process is interrupted.
bool write_all(int fd, std::string_view content) {
  constexpr std::size_t kPiece = 1 << 20;
  while (!content.empty()) {
    Interrupts::throw_if_any();
    const ssize_t written = ::write(fd, content.data(), std::min(kPiece, content.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void write_through(const fs::path& path, std::string_view content) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0 || !write_all(fd.get(), content) || fd.close() != 0) fail(path, errno);
}

// The rename reaches the disk when its folder is synced. Folders that cannot be synced are left to the file
// system.
void synchronise_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(path, errno);
  if (exists && !S_ISREG(status.st_mode)) return write_through(path, content);

  std::error_code error;
  const fs::path target = exists ? fs::canonical(path, error) : path;
  if (error) fail(path, error.value());
  // rename() would replace a read-only file without an error.
  if (exists && ::access(target.c_str(), W_OK) != 0) fail(path, errno);
  const Interrupts interrupts;
  TemporaryFile temporary(target);
  Descriptor& fd = temporary.descriptor();
  const bool written = write_all(fd.get(), content) &&
                       (!exists || ::fchmod(fd.get(), status.st_mode & kPermissions) == 0) &&
                       ::fsync(fd.get()) == 0 && fd.close() == 0 && temporary.rename_to(target);
  if (!written) fail(path, errno);
  synchronise_folder(target);
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw RunError(fmt::format("cannot make the directory '{}': {}", path.string(), error.message()));
}

}  // namespace a3sim
