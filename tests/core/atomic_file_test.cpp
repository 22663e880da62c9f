#include "sim/core/atomic_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/core/error.h"
#include "sim/core/interrupts.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

// A folder of the test's own, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "a3sim.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    fs::permissions(path_, fs::perms::owner_all);
    fs::remove_all(path_);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  auto files() const { return std::distance(fs::directory_iterator(path_), fs::directory_iterator()); }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

// Lets files grow to `bytes` only, as a full disk would.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST_CASE("A file is written whole, over what was there, and nothing is left beside it") {
  const Folder folder;
  const fs::path file = folder / "result.json";
  const std::string bytes("a\0b\n", 4);
  write_file_atomically(file, "the first, longer content");
  write_file_atomically(file, bytes);
  CHECK(content_of(file) == bytes);
  write_file_atomically(file, "");
  CHECK(content_of(file).empty());
  CHECK(folder.files() == 1);
}

TEST_CASE("A write that fails half-way leaves the old content and no temporary file") {
  const Folder folder;
  const fs::path file = folder / "result.json";
  write_file_atomically(file, "old");
  std::string error;
  {
    const FileSizeLimit full(1000);
    error = error_of([&] { write_file_atomically(file, std::string(5000, 'x')); });
  }
  CHECK_THAT(error, Contains("cannot write '" + file.string() + "': File too large"));
  CHECK(content_of(file) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("A full disk is an error that says so") {
  CHECK_THAT(error_of([] { write_file_atomically("/dev/full", "x"); }),
             Contains("cannot write '/dev/full': No space left on device"));
}

TEST_CASE("A device is written to and stays a device") {
  write_file_atomically("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("A pipe gets the content") {
  const Folder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomically(pipe, "through");
  std::array<char, 16> bytes{};
  const auto length = ::read(reader, bytes.data(), bytes.size());
  ::close(reader);
  CHECK(std::string(bytes.data(), length > 0 ? static_cast<std::size_t>(length) : 0) == "through");
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("A new file has the usual permissions and an existing one keeps its own") {
  const Folder folder;
  const fs::path file = folder / "f", usual = folder / "usual";
  std::ofstream(usual) << "x";
  write_file_atomically(file, "1");
  CHECK(fs::status(file).permissions() == fs::status(usual).permissions());
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(file, "2");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("A symbolic link stays one, and its target gets the content") {
  const Folder folder;
  write_file_atomically(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  write_file_atomically(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content_of(folder / "target") == "new");
}

TEST_CASE("Targets that cannot be files are errors with their reason") {
  const Folder folder;
  CHECK_THAT(error_of([&] { write_file_atomically(folder.path(), "x"); }), Contains("Is a directory"));
  CHECK_THAT(error_of([&] { write_file_atomically(folder / "no/such/f", "x"); }), Contains("No such file"));
  CHECK_THAT(error_of([&] { write_file_atomically("", "x"); }), Contains("cannot write ''"));
  CHECK_THAT(error_of([&] { write_file_atomically(folder / std::string(300, 'n'), "x"); }),
             Contains("too long"));
  write_file_atomically(folder / "f", "x");
  CHECK_THAT(error_of([&] { write_file_atomically(folder / "f/g", "x"); }), Contains("Not a directory"));
}

TEST_CASE("What may not be written is refused") {
  if (::geteuid() == 0) return;  // who may write everything
  const Folder folder;
  const fs::path file = folder / "f";
  write_file_atomically(file, "old");
  fs::permissions(file, fs::perms::owner_read);
  CHECK_THAT(error_of([&] { write_file_atomically(file, "new"); }), Contains("Permission denied"));
  CHECK(content_of(file) == "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THAT(error_of([&] { write_file_atomically(folder / "g", "new"); }), Contains("Permission denied"));
}

TEST_CASE("Directories are made with those above them, and once more without harm") {
  const Folder folder;
  make_directories(folder / "a/b/c");
  make_directories(folder / "a/b/c");
  make_directories(folder / "a/d/");
  CHECK(fs::is_directory(folder / "a/b/c"));
  CHECK(fs::is_directory(folder / "a/d"));
}

TEST_CASE("A file where a directory is wanted is an error that names it") {
  const Folder folder;
  const fs::path file = folder / "f";
  write_file_atomically(file, "x");
  for (const fs::path& wanted : {file, file / "below"}) {
    CHECK_THAT(error_of([&] { make_directories(wanted); }),
               Contains("cannot make the directory '" + wanted.string() + "': Not a directory"));
  }
}

TEST_CASE("an interrupt while files are written takes back the one at hand, and ends nothing else") {
  const Folder folder;
  const fs::path file = folder / "file";
  {
    const Interrupts interrupts;
    CHECK_NOTHROW(Interrupts::throw_if_any());
    raise(SIGTERM);
    try {
      write_file_atomically(file, "contents");
      FAIL("was written");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::kInterrupted);
    }
    CHECK(fs::is_empty(folder.path()));
    // It has been told.
    CHECK_NOTHROW(write_file_atomically(file, "contents"));
  }
  CHECK(fs::exists(file));
}

}  // namespace
}  // namespace a3sim
