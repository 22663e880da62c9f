#include "sim/core/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/interrupts.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostOfDevice = std::size_t{16} << 20;  // /dev/null has less, /dev/zero more
constexpr int kWaitMs = 10;
constexpr int kMostWaits = 200;  // for a writer to open a pipe: two seconds

class FileReader {
 public:
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  explicit FileReader(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) error_ = std::strerror(errno);
  }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader() {
    if (fd_ >= 0) ::close(fd_);
  }

  FileText read(std::size_t most) {
    if (error_.empty()) check_kind();
    if (device_) most = std::min(most, kMostOfDevice);
    while (error_.empty() && !ended_) {
      read_piece();
      if (text_.size() > most) error_ = fmt::format("it is larger than {} MiB", most >> 20);
    }
    if (!error_.empty()) text_.clear();
    return {std::move(text_), std::move(error_)};
  }

 private:
  void check_kind() {
    struct stat status{};
    if (::fstat(fd_, &status) != 0)
      error_ = std::strerror(errno);
    else if (S_ISDIR(status.st_mode))
      error_ = "it is a directory";
    else if (S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode))
      error_ = "it is a device";
    pipe_ = S_ISFIFO(status.st_mode);
    terminal_ = ::isatty(fd_) == 1;
    device_ = S_ISCHR(status.st_mode);
  }

  void read_piece() {
    const ssize_t got = ::read(fd_, piece_.data(), piece_.size());
    if (got > 0) {
      text_.append(piece_.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      wait_for_writer();
    } else if (errno == EAGAIN) {
      wait_for_more();
    } else if (errno != EINTR) {
      error_ = std::strerror(errno);
    }
  }

  // A writer to a pipe, or a user who types, has not sent an end yet. Any other device, such as /dev/kmsg,
  // never does.
  void wait_for_more() {
    if (!pipe_ && !terminal_) {
      error_ = "it is a device";
      return;
    }
    was_open_ = true;
    pollfd pipe{fd_, POLLIN, 0};
    ::poll(&pipe, 1, kWaitMs);
    Interrupts::throw_if_any();
  }

  // A pipe that had a writer has ended; one that had none yet may still begin.
  void wait_for_writer() {
    ended_ = !pipe_ || was_open_ || !text_.empty();
    if (ended_) return;
    Interrupts::throw_if_any();
    if (++waits_ > kMostWaits) error_ = "it is a pipe that nobody writes to";
    ::poll(nullptr, 0, kWaitMs);
  }

  int fd_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  std::string text_, error_;
  bool pipe_ = false, terminal_ = false, device_ = false, was_open_ = false, ended_ = false;
  int waits_ = 0;
};

}  // namespace

FileText try_read_file(const std::filesystem::path& path, std::size_t most) {
  return FileReader(path).read(most);
}

std::string read_file(const std::filesystem::path& path, std::size_t most) {
  FileText file = try_read_file(path, most);
  if (!file.error.empty()) throw InputError(fmt::format("{}: cannot be read: {}", path.string(), file.error));
  return std::move(file.text);
}

}  // namespace a3sim
