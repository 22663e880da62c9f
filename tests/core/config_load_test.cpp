#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/core/config_text.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

// A folder of configuration files, gone afterwards.
class Files {
 public:
  Files() {
    std::string name = (fs::temp_directory_path() / "a3sim.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~Files() { fs::remove_all(folder_); }

  void add(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

  std::string resolved(const std::string& name) const {
    Diagnostics diagnostics;
    const Config config = Config::load(folder_ / name, {}, diagnostics);
    CHECK(diagnostics.empty());
    return config.resolved();
  }

  // The messages of a file, the folder's own name cut out.
  std::string errors(const std::string& name) const {
    Diagnostics diagnostics;
    const Config config = Config::load(folder_ / name, {}, diagnostics);
    config.text("missing");  // no news where a file could not be read
    config.error("missing", "nor is this");
    std::string all;
    for (std::string message : diagnostics.messages()) {
      const std::string prefix = folder_.string() + "/";
      for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
        message.erase(at, prefix.size());
      }
      all += message + "\n";
    }
    return all;
  }

 private:
  fs::path folder_;
};

TEST_CASE("A file that is loaded again is what stands in it by then, whatever was done with it before") {
  const Files files;
  files.add("a.yaml", "include: b.yaml\nx: {y: 1}\n");
  files.add("b.yaml", "z: [1, 2]\n");
  const std::string before = files.resolved("a.yaml");
  {
    Diagnostics diagnostics;
    const std::vector<std::string> overrides{"x.y=5", "z.0=7", "x.more=1"};
    const Config config = Config::load(files / "a.yaml", overrides, diagnostics);
    CHECK_THAT(config.resolved(), Contains("7"));
    config.finish();
    CHECK(diagnostics.messages().size() == 2);  // x and z, which nobody asked for
  }
  CHECK(files.resolved("a.yaml") == before);
  files.add("b.yaml", "z: [3, 2]\n");
  CHECK_THAT(files.resolved("a.yaml"), Contains("3") && !Contains("1, 2"));
  for (const char* const wrong : {"z: [1, 2\n", "z: 1\nz: 2\n"}) {
    files.add("b.yaml", wrong);
    const std::string errors = files.errors("a.yaml");
    CHECK_THAT(errors, Contains("b.yaml:2:"));
    CHECK(files.errors("a.yaml") == errors);
  }
}

TEST_CASE("The including file wins, later includes win, and mappings are merged deeply") {
  const Files files;
  files.add("base/one.yaml", "a: {x: 1, y: 1}\nlist: [1, 2]\nonly: 1\n");
  files.add("base/two.yaml", "include: ../three.yaml\na: {y: 2, z: 2}\n");
  files.add("three.yaml", "a: {z: 3, w: 3}\n");
  files.add("top.yaml", "include: [base/one.yaml, base/two.yaml]\na: {x: 9}\nlist: [3]\n");
  CHECK(files.resolved("top.yaml") == "a:\n  x: 9\n  y: 2\n  z: 2\n  w: 3\nlist: [3]\nonly: 1\n");
}

TEST_CASE("A value with a source is replaced with its source") {
  const Files files;
  files.add("base.yaml", "n: {value: 25, source: paper, range: [24, 25]}\nm: {value: 1, source: s}\n");
  files.add("top.yaml", "include: base.yaml\nn: {value: 7, source: mine}\nm: 2\n");
  CHECK(files.resolved("top.yaml") == "n: {value: 7, source: mine}\nm: 2\n");
}

TEST_CASE("A mapping that is tagged !override takes the place of an included one, whole") {
  const Files files;
  files.add("base.yaml", "chip: {cores: {a: 1, b: 2}, clock: 3}\n");
  files.add("whole.yaml", "chip: !override {cores: {b: 4}}\n");
  files.add("both.yaml", "include: [base.yaml, whole.yaml]\nchip: {speed: 5}\n");
  CHECK(files.resolved("both.yaml") == "chip:\n  cores:\n    b: 4\n  speed: 5\n");
  files.add("tagged.yaml", "chip: !other {cores: 1}\n");
  CHECK_THAT(files.errors("tagged.yaml"), Contains("tags (!other) are not supported"));
  files.add("scalar.yaml", "chip: !override 1\n");
  CHECK_THAT(files.errors("scalar.yaml"), Contains("tags (!override) are not supported"));
}

TEST_CASE("A heading with nothing under it leaves what is there") {
  const Files files;
  files.add("base.yaml", "a: {x: 1}\n");
  files.add("top.yaml", "include: base.yaml\na:\n");
  CHECK(files.resolved("top.yaml") == "a:\n  x: 1\n");
}

TEST_CASE("A file may be included twice, but not from itself") {
  const Files files;
  files.add("leaf.yaml", "a: 1\n");
  files.add("left.yaml", "include: leaf.yaml\n");
  files.add("right.yaml", "include: leaf.yaml\n");
  files.add("diamond.yaml", "include: [left.yaml, right.yaml]\n");
  CHECK(files.resolved("diamond.yaml") == "a: 1\n");
  files.add("self.yaml", "include: ./self.yaml\n");
  CHECK_THAT(files.errors("self.yaml"), Contains("self.yaml:1:10: include: 'self.yaml' includes itself"));
  files.add("ping.yaml", "include: sub/pong.yaml\n");
  files.add("sub/pong.yaml", "include: ../ping.yaml\n");
  CHECK(files.errors("ping.yaml") ==
        "sub/pong.yaml:1:10: include: 'ping.yaml' includes itself, expected no cycle\n");
}

TEST_CASE("Marks name the file that a value stands in") {
  const Files files;
  files.add("sub/base.yaml", "x: 1\nn: wrong\n");
  files.add("top.yaml", "include: sub/../sub/base.yaml\n");
  Diagnostics diagnostics;
  const Config config = Config::load(files / "top.yaml", {}, diagnostics);
  config.integer("n", 0, 1);
  config.finish();
  REQUIRE(diagnostics.messages().size() == 2);
  CHECK_THAT(diagnostics.messages()[0], Contains("sub/base.yaml:1:1: x: unknown key"));
  CHECK_THAT(diagnostics.messages()[1], Contains("sub/base.yaml:2:4: n: 'wrong' is not an integer"));
}

TEST_CASE("A path is relative to the file that it stands in") {
  const Files files;
  files.add("sub/base.yaml", "data: counts.csv\nabsolute: /x\n");
  files.add("top.yaml", "include: sub/base.yaml\n");
  Diagnostics diagnostics;
  const std::vector<std::string> overrides = {"own=here.csv"};
  const Config config = Config::load(files / "top.yaml", overrides, diagnostics);
  CHECK(config.file("data") == files / "sub/counts.csv");
  CHECK(config.file("absolute") == "/x");
  CHECK(config.file("own") == "here.csv");
}

TEST_CASE("All broken includes are told at once, and nothing else is missed for them") {
  const Files files;
  files.add("top.yaml", "include: [none.yaml, folder, 5, [x], '', broken.yaml]\na: 1\na: 2\n");
  files.add("folder/x.yaml", "");
  files.add("broken.yaml", "a: [\n");
  CHECK(files.errors("top.yaml") ==
        "broken.yaml:2:1: broken YAML: end of sequence flow not found; it was readable up to line 1\n"
        "top.yaml:1:11: include: cannot read 'none.yaml': No such file or directory, expected a "
        "configuration file\n"
        "top.yaml:1:22: include: cannot read 'folder': it is a directory, expected a configuration file\n"
        "top.yaml:1:30: include: cannot read '5': No such file or directory, expected a configuration file\n"
        "top.yaml:1:33: include: a list, expected a path or a list of paths\n"
        "top.yaml:1:38: include: '', expected a path or a list of paths\n"
        "top.yaml:3:1: a: duplicate key, expected once; first at line 2\n");
}

TEST_CASE("A main file that cannot be read is an error without a line") {
  const Files files;
  files.add("folder/x.yaml", "");
  CHECK(files.errors("none.yaml") ==
        "none.yaml: cannot read 'none.yaml': No such file or directory, expected a configuration file\n");
  CHECK_THAT(files.errors("folder"), Contains("it is a directory"));
  files.add("list.yaml", "- 1\n");
  CHECK(files.errors("list.yaml") == "list.yaml:1:1: a list, expected a mapping of keys\n");
  files.add("text.yaml", "just words\n");
  CHECK(files.errors("text.yaml") == "text.yaml:1:1: 'just words', expected a mapping of keys\n");
  if (::geteuid() != 0) {
    files.add("secret.yaml", "a: 1\n");
    fs::permissions(files / "secret.yaml", fs::perms::none);
    CHECK_THAT(files.errors("secret.yaml"), Contains("Permission denied"));
  }
}

TEST_CASE("Endless and huge files are refused") {
  const Files files;
  files.add("zero.yaml", "include: /dev/zero\n");
  CHECK_THAT(files.errors("zero.yaml"), Contains("cannot read '/dev/zero': it is larger than 4 MiB"));
  files.add("null.yaml", "include: /dev/null\na: 1\n");
  CHECK(files.resolved("null.yaml") == "a: 1\n");
}

TEST_CASE("Includes that multiply end") {
  const Files files;
  constexpr int kLevels = 40;
  for (int i = 0; i < kLevels; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    files.add(std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  files.add(std::to_string(kLevels) + ".yaml", "a: 1\n");
  CHECK_THAT(files.errors("0.yaml"), Contains("more than 256 files to read"));
}

TEST_CASE("A pipe is read as a file is") {
  const Files files;
  const fs::path pipe = files / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream(pipe) << "a: 1\n";
    ::_exit(0);
  }
  CHECK(files.resolved("pipe") == "a: 1\n");
}

TEST_CASE("a block of which nothing is taken over, or nothing is left, is not there") {
  const Files files;
  files.add("with.yaml", "workers: 3\npool:\n  comm: {size: 20}\n");
  files.add("without.yaml", "workers: 8\n");
  const auto with_part_of = [&](const char* base, const char* other, std::string_view part) {
    Diagnostics diagnostics;
    const auto taken = [&](std::string_view path) { return path.starts_with(part); };
    return Config::load_with_parts(files / base, files / other, taken, diagnostics).resolved();
  };
  CHECK(with_part_of("without.yaml", "with.yaml", "workers") == "workers: 3\n");
  CHECK(with_part_of("with.yaml", "without.yaml", "pool") == "workers: 3\n");
  CHECK_THAT(with_part_of("without.yaml", "with.yaml", "pool"),
             Contains("workers: 8") && Contains("size: 20"));
  files.add("more.yaml", "workers: 3\npool:\n  comm: {size: 20}\n  other: 1\nnone: {}\n");
  const std::string left = with_part_of("more.yaml", "without.yaml", "pool.comm");
  CHECK_THAT(left, Contains("other: 1") && Contains("none:") && !Contains("comm"));
}

}  // namespace
}  // namespace a3sim
