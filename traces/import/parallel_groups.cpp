#include "traces/import/parallel_groups.h"

#include <vector>

#include "traces/import/json_walk.h"

namespace a3sim {
namespace {

using Take = std::function<void(const std::string&, const std::string&, std::span<const std::uint32_t>)>;

// Reads {"parallel_group_info": {name: {"group_name": use, "group_rank": number, "global_ranks": [number]}}}.
class Groups final : public JsonWalk {
 public:
  explicit Groups(const Take& take) : take_(take) {}

 private:
  static constexpr std::size_t kOfGroup = 3;  // the file's own object is the first
  static constexpr std::size_t kMostRanks = 65'536;

  bool in_groups() const { return key_at(1) == "parallel_group_info"; }
  void object_begins() override {
    if (depth() != kOfGroup) return;
    use_.clear();
    ranks_.clear();
  }
  void object_ends() override {
    if (depth() == kOfGroup && in_groups()) take_(std::string(key_at(2)), use_, ranks_);
  }
  void on_text(const std::string& value) override {
    if (in_groups() && depth() == kOfGroup && last_key() == "group_name") use_ = value;
  }
  void on_number(double value, const std::string&) override {
    const bool rank = in_groups() && depth() == kOfGroup + 1 && key_at(kOfGroup) == "global_ranks";
    if (rank && value >= 0 && value < kMostRanks && ranks_.size() < kMostRanks)
      ranks_.push_back(static_cast<std::uint32_t>(value));
  }

  const Take& take_;
  std::string use_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace

void read_parallel_groups(const std::filesystem::path& file, const Take& take) { Groups(take).read(file); }

}  // namespace a3sim
