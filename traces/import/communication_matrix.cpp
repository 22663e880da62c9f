#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/core/error.h"
#include "traces/import/ascend_files.h"
#include "traces/import/json_walk.h"

// Reads the profiler's communication_matrix.json, value by value:
// {step: {p2p|collective: {name@group: {"0-8": {"Transport Type": text, "Transit Size(MB)": number,
// "Transit Time(ms)": number, "Bandwidth(GB/s)": number}}}}}
namespace a3sim {
namespace {

constexpr double kLongestMilliseconds = 1e9, kMostMatrixMegabytes = 1e12;

// Besides the sums of all calls of a type (-total), the file repeats single ones: the fastest, the middle, the slowest.
bool is_of_one_call(std::string_view name) {
  const std::string_view call = name.substr(0, name.find('@'));
  for (const std::string_view part : {"-top", "-middle", "-bottom"})
    if (call.find(part) != std::string_view::npos) return true;
  return false;
}

class Links final : public JsonWalk {
 public:
  explicit Links(const LinkSink& to) : to_(to) {}

 private:
  static constexpr std::size_t kOfLink = 5;  // the file's own object is the first

  void object_begins() override {
    if (depth() == kOfLink) now_ = {};
  }
  void object_ends() override {
    if (depth() == kOfLink) finish();
  }
  void on_text(const std::string& value) override {
    if (depth() == kOfLink && last_key() == "Transport Type") now_.transport = value;
  }
  void on_number(double value, const std::string&) override {
    if (depth() != kOfLink) return;
    if (last_key() == "Transit Size(MB)") now_.bytes = 1e6 * within(value, kMostMatrixMegabytes);
    if (last_key() == "Transit Time(ms)")
      now_.transit = Duration(std::llround(within(value, kLongestMilliseconds) * 1e9));
  }

  double within(double value, double most) const {
    if (!(value >= 0 && value <= most))
      throw InputError(fmt::format("{}: {} of '{}' from {}: {}, expected a number from 0 to {}", file(),
                                   last_key(), printable(key_at(3)), printable(key_at(4)), value, most));
    return value;
  }

  // Tells a pair of ranks "0-8".
  void finish() {
    if (is_of_one_call(key_at(3))) return;
    const std::string_view pair = key_at(4);
    const char* const end = pair.data() + pair.size();
    const auto from = std::from_chars(pair.data(), end, now_.from);
    if (from.ec != std::errc{} || from.ptr == end || *from.ptr != '-') return;
    const auto to = std::from_chars(from.ptr + 1, end, now_.to);
    if (to.ec != std::errc{} || to.ptr != end) return;
    now_.step = key_at(1);
    now_.name = key_at(3);
    to_(now_);
  }

  const LinkSink& to_;
  RecordedLink now_;
};

}  // namespace

void read_communication_matrix(const std::filesystem::path& file, const LinkSink& to) {
  Links(to).read(file);
}

}  // namespace a3sim
