#include "sim/core/open_file.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "sim/core/error.h"
#include "sim/core/interrupts.h"
#include "sim/core/json_error.h"
#include "sim/core/read_file.h"
#include "tests/scratch_directory.h"

using namespace a3sim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("only a regular file is opened to be read in pieces") {
  const ScratchDirectory folder;
  folder.add("file", "ab");
  CHECK(open_file(folder.path() / "file").get() == 'a');
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("loop", folder.path() / "loop");
  CHECK_THROWS_WITH(open_file(folder.path() / "pipe"),
                    Contains("pipe: cannot be read: it is a pipe or a device"));
  CHECK_THROWS_WITH(open_file("/dev/zero"), Contains("it is a pipe or a device"));
  CHECK_THROWS_WITH(open_file(folder.path()), Contains("it is a directory"));
  CHECK_THROWS_WITH(open_file(folder.path() / "none"), Contains("there is no such file"));
  CHECK_THROWS_WITH(open_file(folder.path() / "loop"), Contains("Too many levels of symbolic links"));
}

TEST_CASE(
    "what a JSON library says reaches the user with the file's name, line and column, and without its own") {
  const auto said = [](const char* text) {
    try {
      return nlohmann::json::parse(text).at("a").get<std::string>();
    } catch (const nlohmann::json::exception& error) {
      return std::string(json_error("x.json", error).what());
    }
  };
  CHECK_THAT(said("{\n \"a\": tru"), Catch::Matchers::StartsWith("x.json:2:10: syntax error while parsing"));
  CHECK(said("{\"a\": 1}") == "x.json: type must be string, but is number");
  CHECK(said("{}") == "x.json: key 'a' not found");
}

TEST_CASE("who waits for a pipe is interrupted by a signal") {
  const ScratchDirectory folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const Interrupts interrupts;
  std::raise(SIGTERM);
  CHECK_THROWS_WITH(read_file(pipe), "interrupted");
}
