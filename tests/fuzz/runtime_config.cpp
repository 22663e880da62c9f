#include "scheduler/runtime_files/runtime_config.h"

#include <cstring>
#include <utility>

#include "scheduler/runtime_files/runtime_schedule.h"
#include "tests/fuzz/run_checked.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

constexpr std::size_t kWord = sizeof(std::uint32_t);
// Words of the structure as it is published.
constexpr std::size_t kTriggers = 4, kTasks = kTriggers + kRuntimeEvents, kTaskWords = 144,
                      kEvents = kTasks + kRuntimeTasks * kTaskWords, kEventWords = 4,
                      kCounts = kEvents + kRuntimeEvents * kEventWords, kLists = kCounts + 4,
                      kRest = kLists + 3 * kRuntimeTasks;

// The files of two ranks, 15 MB each: an input is what is changed in them, words and their values.
class RuntimeFiles {
 public:
  RuntimeFiles() {
    for (const Ssc& ssc : checked_schedule()) files_.push_back(write_runtime_config(runtime_config_of(ssc)));
    const std::size_t tasks = word(files_[0], 0), some = 8;
    add(0, kTriggers + some);
    add(kTasks, (tasks + 1) * kTaskWords);
    add(kEvents, (tasks + some) * kEventWords);
    add(kCounts, kLists - kCounts);
    for (std::size_t list = 0; list < 3; ++list) add(kLists + list * kRuntimeTasks, tasks + 1);
    add(kRest, files_[0].size() / kWord - kRest);
  }

  // A change: which word of those that are in use, the highest bit its rank; its value.
  void change(std::uint32_t where, std::uint32_t value) {
    std::string& file = files_[where >> 31];
    const std::size_t at = used_[(where & 0x7fffffff) % used_.size()];
    before_.push_back({&file, at, word(file, at)});
    set(file, at, value);
  }
  void undo() {
    for (; !before_.empty(); before_.pop_back())
      set(*before_.back().file, before_.back().at, before_.back().value);
  }
  std::vector<NamedRuntimeConfig> read() const {
    std::vector<NamedRuntimeConfig> read;
    for (const std::string& file : files_)
      read.push_back({"fuzz.bin", read_runtime_config(file, "fuzz.bin")});
    return read;
  }

 private:
  struct Before {
    std::string* file;
    std::size_t at;
    std::uint32_t value;
  };
  static std::uint32_t word(const std::string& file, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, file.data() + at * kWord, kWord);
    return value;
  }
  static void set(std::string& file, std::size_t at, std::uint32_t value) {
    std::memcpy(file.data() + at * kWord, &value, kWord);
  }
  void add(std::size_t from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) used_.push_back(from + i);
  }

  std::vector<std::string> files_;
  std::vector<std::size_t> used_;
  std::vector<Before> before_;
};

// What is imported is checked, run where it is sound, and comes back the same from an export of it.
void take_files(const std::vector<NamedRuntimeConfig>& files) {
  const Schedule schedule = schedule_of(files, checked_schedule());
  run_if_sound(schedule);
  std::vector<NamedRuntimeConfig> exported;
  for (const Ssc& ssc : schedule) exported.push_back({"exported", runtime_config_of(ssc)});
  const Schedule again = schedule_of(exported, checked_schedule());
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    if (again[r].to_text() != schedule[r].to_text())
      throw std::logic_error("an export is imported as something else");
  }
}

class RuntimeConfigTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    constexpr std::size_t kChange = 2 * kWord, kMost = 256;
    // As short as it is, no version has this size.
    if (input.size() % kChange != 0) read_runtime_config(input, "fuzz.bin");
    static RuntimeFiles files;
    files.undo();
    for (std::size_t i = 0; i < kMost && i + kChange <= input.size(); i += kChange) {
      std::uint32_t change[2];
      std::memcpy(change, input.data() + i, kChange);
      files.change(change[0], change[1]);
    }
    take_files(files.read());
  }
};

A3SIM_REGISTER(FuzzTarget, "runtime_config",
               "the public runtime's schedules, imported over a small experiment's", RuntimeConfigTarget);

}  // namespace
}  // namespace a3sim
