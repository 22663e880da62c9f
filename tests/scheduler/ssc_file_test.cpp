#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "scheduler/ssc/ssc_generated.h"
#include "sim/core/error.h"
#include "tests/scheduler/small_ssc.h"

using namespace a3sim;

namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer small_bytes() {
  const Ssc ssc = Ssc::build(small_parts());
  return {ssc.bytes().begin(), ssc.bytes().end()};
}

Buffer small_file() {
  const std::string contents = Ssc::build(small_parts()).file_contents();
  return {contents.begin(), contents.end()};
}

// A file that is removed again.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Buffer& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("a3sim_ssc_test_" + std::to_string(::getpid()) + ".ssc")) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string open_error(const std::filesystem::path& path) {
  try {
    Ssc::open(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string buffer_error(Buffer bytes) {
  try {
    Ssc::from_buffer(std::move(bytes), "x.ssc");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Touches everything that a schedule refers to, as later
// code would; the sum keeps it from being optimised away.
std::uint64_t walk(const Ssc& ssc) {
  std::uint64_t sum = ssc.graph().size() + ssc.order().size();
  for (const OperatorInfo& op : ssc.operators()) {
    for (TensorId id : op.inputs) sum += ssc.tensors()[index(id)].bytes();
    for (TensorId id : op.outputs) sum += ssc.tensors()[index(id)].bytes();
  }
  for (std::uint32_t queue = 0; queue < ssc.queues(); ++queue) {
    for (std::uint32_t t : ssc.queue(queue)) {
      const TaskDescriptor& td = ssc.tasks()[t];
      sum += ssc.operators()[td.op].name.size() + ssc.worker_sets()[td.worker_set].count;
      for (const Region& r : ssc.inputs(td)) sum += ssc.tensors()[r.tensor].rows;
      for (const Region& r : ssc.outputs(td)) sum += ssc.tensors()[r.tensor].rows;
      if (td.dependent_event != kNone) sum += ssc.events()[td.dependent_event].threshold;
      if (td.tiling_data_position != kNone) sum += ssc.tilings()[td.tiling_data_position].base_m;
    }
  }
  return sum + ssc.to_text().size();
}

struct Outcomes {
  std::uint32_t sound = 0, refused = 0;

  // Either refused, naming the file, or fit for use; anything else leaves by another exception or a crash.
  void add(Buffer bytes) {
    try {
      walk(Ssc::from_buffer(std::move(bytes), "x.ssc"));
      ++sound;
    } catch (const InputError& error) {
      if (std::string_view(error.what()).starts_with("x.ssc: ")) ++refused;
    }
  }
};

void set_version(Buffer& bytes, std::uint32_t version) {
  auto* root = flatbuffers::GetMutableRoot<flatbuffers::Table>(bytes.data());
  REQUIRE(root->SetField<std::uint32_t>(fb::Ssc::VT_VERSION, version, 0));
}

}  // namespace

TEST_CASE("A mapped file gives the schedule that was written") {
  const TemporaryFile file(small_file());
  const Ssc ssc = Ssc::open(file.path());
  REQUIRE(std::ranges::equal(ssc.bytes(), small_bytes()));
  REQUIRE(ssc.to_text() == Ssc::build(small_parts()).to_text());
}

TEST_CASE("A copy of a schedule outlives the one that mapped the file") {
  const TemporaryFile file(small_file());
  auto first = std::make_unique<Ssc>(Ssc::open(file.path()));
  const Ssc copy = *first;
  first.reset();
  REQUIRE(walk(copy) == walk(Ssc::build(small_parts())));
}

TEST_CASE("Tables are read where they lie in the file's mapping") {
  const Ssc ssc = Ssc::build(small_parts());
  const auto* tasks = reinterpret_cast<const std::uint8_t*>(ssc.tasks().data());
  REQUIRE(tasks >= ssc.bytes().data());
  REQUIRE(tasks + ssc.tasks().size_bytes() <= ssc.bytes().data() + ssc.bytes().size());
}

TEST_CASE("What is no schedule file is refused with its name") {
  const std::filesystem::path absent = "/no/such/file.ssc";
  REQUIRE(open_error(absent) == "/no/such/file.ssc: cannot open: No such file or directory");
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  REQUIRE(open_error(folder) == folder.string() + ": not a regular file");
  const TemporaryFile empty({});
  REQUIRE(open_error(empty.path()) == empty.path().string() + ": not a schedule (SSC) file");
  const std::string text = "order:\n  name: naive\n";
  const TemporaryFile yaml(Buffer(text.begin(), text.end()));
  REQUIRE(open_error(yaml.path()) == yaml.path().string() + ": not a schedule (SSC) file");
}

TEST_CASE("A file with any bit changed, cut off anywhere or longer is refused with its name") {
  const Buffer bytes = small_file();
  const auto refused = [](const Buffer& changed) {
    const TemporaryFile file(changed);
    return open_error(file.path()).starts_with(file.path().string() + ": ");
  };
  std::size_t wrong = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Buffer changed = bytes;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    if (!refused(changed)) ++wrong;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (!refused(Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)))) ++wrong;
  }
  Buffer longer = bytes;
  longer.push_back(0);
  if (!refused(longer)) ++wrong;
  CHECK(wrong == 0);
  CHECK_FALSE(refused(bytes));
}

TEST_CASE("A file of an earlier version, without a checksum, says what to do") {
  const TemporaryFile file(small_bytes());
  CHECK_THAT(open_error(file.path()), Catch::Matchers::Contains("no checksum at its end") &&
                                          Catch::Matchers::Contains("compile it again"));
}

TEST_CASE("A schedule of another format version is refused with both versions") {
  Buffer bytes = small_bytes();
  set_version(bytes, kSscVersion + 1);
  REQUIRE(buffer_error(bytes) == "x.ssc: schedule format " + std::to_string(kSscVersion + 1) +
                                     ", written by a newer a3sim; this one reads format " +
                                     std::to_string(kSscVersion));
  set_version(bytes, 0);
  REQUIRE(buffer_error(bytes) ==
          "x.ssc: schedule format 0; this a3sim reads format " + std::to_string(kSscVersion));
}

TEST_CASE("A newer format is named even where its structures would not verify") {
  Buffer bytes = small_bytes();
  set_version(bytes, kSscVersion + 1);
  bytes.resize(bytes.size() - 4 * sizeof(TaskDescriptor));
  REQUIRE_THAT(buffer_error(bytes), Catch::Matchers::Contains("written by a newer a3sim"));
}

TEST_CASE("A schedule cut off anywhere is refused") {
  const Buffer bytes = small_bytes();
  Outcomes outcomes;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    outcomes.add(Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  REQUIRE(outcomes.refused == bytes.size());
}

TEST_CASE("A schedule with any byte changed is refused or sound, never followed out of its bytes") {
  const Buffer bytes = small_bytes();
  const std::uint8_t flips[] = {0x01, 0x10, 0x80, 0xff};
  Outcomes outcomes;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const std::uint8_t flip : flips) {
      Buffer changed = bytes;
      changed[at] ^= flip;
      outcomes.add(std::move(changed));
    }
  }
  REQUIRE(outcomes.refused + outcomes.sound == std::size(flips) * bytes.size());
  REQUIRE(outcomes.refused > 0);
  REQUIRE(outcomes.sound > 0);
}
