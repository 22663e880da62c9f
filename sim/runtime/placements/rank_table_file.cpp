#include "sim/runtime/placements/rank_table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/core/error.h"
#include "sim/core/json_error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

using TableJson = nlohmann::json;

constexpr std::size_t kLargestTable = std::size_t{64} << 20;
constexpr std::uint32_t kMostTableRanks = 1 << 16, kMostDevices = 64, kNodesAPod = 48;

class RankTableReader {
 public:
  explicit RankTableReader(std::string file) : file_(std::move(file)) {}

  RankTable read(const TableJson& json) {
    if (!json.is_object()) fail("no JSON object, expected a rank table of HCCL");
    if (json.contains("version")) table_.version = text(json["version"], "version");
    const TableJson& servers = list(json, "server_list");
    const std::map<std::string, std::uint32_t> pods = read_pods(json);
    table_.pods = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(pod_names_.size()));
    for (const TableJson& server : servers) read_server(server, pods);
    table_.servers = static_cast<std::uint32_t>(servers.size());
    place();
    note_packages();
    if (table_.pods > 1)
      table_.notes.push_back(
          fmt::format("{} super-pods: ranks of different ones meet over RDMA", table_.pods));
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}: {}", file_, why));
  }

  std::string text(const TableJson& value, std::string_view key) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    fail(fmt::format("{}: {}, expected a text", key, value.type_name()));
  }
  std::uint32_t number(const TableJson& object, const char* key, std::uint32_t below,
                       const std::string& where) const {
    if (!object.is_object() || !object.contains(key))
      fail(fmt::format("{}: no {}, expected one", where, key));
    const std::string given = text(object[key], key);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error != std::errc() || end != given.data() + given.size() || value >= below)
      fail(fmt::format("{}: {} '{}', expected a number from 0 to {}", where, key, given, below - 1));
    return value;
  }
  const TableJson& list(const TableJson& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_array() || object[key].empty())
      fail(fmt::format("no list {}, expected a rank table of HCCL (version 1.0 or 1.2)", key));
    return object[key];
  }

  // Returns the super-pod of each server by its id.
  std::map<std::string, std::uint32_t> read_pods(const TableJson& json) {
    std::map<std::string, std::uint32_t> pods;
    if (!json.contains("super_pod_list")) return pods;
    for (const TableJson& pod : list(json, "super_pod_list")) {
      if (!pod.is_object() || !pod.contains("super_pod_id"))
        fail("super_pod_list: no super_pod_id, expected one");
      const auto number = static_cast<std::uint32_t>(pod_names_.size());
      if (!pod_names_.insert(text(pod["super_pod_id"], "super_pod_id")).second)
        fail("super_pod_list: a super_pod_id stands there twice");
      for (const TableJson& server : list(pod, "server_list")) {
        if (!server.is_object() || !server.contains("server_id"))
          fail("super_pod_list: a server without server_id");
        const std::string id = text(server["server_id"], "server_id");
        if (!pods.emplace(id, number).second) fail(fmt::format("server {} is in two super-pods", id));
      }
    }
    return pods;
  }

  void read_server(const TableJson& server, const std::map<std::string, std::uint32_t>& pods) {
    const std::string id = server.is_object() && server.contains("server_id")
                               ? text(server["server_id"], "server_id")
                               : std::to_string(servers_.size());
    if (!servers_.insert(id).second) fail(fmt::format("server {} stands there twice", id));
    const auto pod = pods.find(id);
    if (!pods.empty() && pod == pods.end()) fail(fmt::format("server {} is in no super-pod", id));
    RankTable::Rank place{pods.empty() ? 0 : pod->second, static_cast<std::uint32_t>(servers_.size() - 1), 0,
                          0};
    place.server_in_pod = in_pod_[place.pod]++;
    if (place.server_in_pod >= kNodesAPod)
      fail(fmt::format("more than {} servers in one super-pod", kNodesAPod));
    std::set<std::uint32_t> devices;
    for (const TableJson& device : list(server, "device")) {
      const std::string where = fmt::format("server {}, device {}", id, devices.size());
      place.device = number(device, "device_id", kMostDevices, where);
      if (!devices.insert(place.device).second)
        fail(fmt::format("{}: device_id {} stands there twice", where, place.device));
      const std::uint32_t rank = number(device, "rank_id", kMostTableRanks, where);
      if (!by_rank_.emplace(rank, place).second)
        fail(fmt::format("{}: rank_id {} stands there twice", where, rank));
    }
  }

  void place() {
    std::uint32_t next = 0;
    for (const auto& [rank, place] : by_rank_) {
      if (rank != next)
        fail(
            fmt::format("rank_id {} is missing: expected each from 0 to {}", next, by_rank_.rbegin()->first));
      ++next;
      table_.ranks.push_back(place);
    }
  }

  void note_packages() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> packages;  // dies that have a rank
    for (const RankTable::Rank& rank : table_.ranks) ++packages[{rank.server, rank.device / 2}];
    const auto halves =
        std::ranges::count_if(packages, [](const auto& package) { return package.second == 1; });
    if (halves > 0)
      table_.notes.push_back(
          fmt::format("one of the two dies of {} package{} has no rank: the one that has uses the ports of "
                      "its package alone",
                      halves, halves == 1 ? "" : "s"));
  }

  std::string file_;
  RankTable table_;
  std::set<std::string> servers_, pod_names_;
  std::map<std::uint32_t, std::uint32_t> in_pod_;
  std::map<std::uint32_t, RankTable::Rank> by_rank_;
};

}  // namespace

std::vector<std::uint32_t> RankTable::dies(std::uint32_t dies_a_node) const {
  std::vector<std::uint32_t> dies;
  for (const Rank& rank : ranks)
    dies.push_back((rank.pod * kNodesAPod + rank.server_in_pod) * dies_a_node + rank.device);
  return dies;
}

bool is_rank_table(std::string_view text) {
  return text.find("\"server_list\"") != std::string_view::npos &&
         text.find("\"device") != std::string_view::npos;
}

RankTable read_rank_table(const std::filesystem::path& file) {
  try {
    return RankTableReader(file.string()).read(TableJson::parse(read_file(file, kLargestTable)));
  } catch (const TableJson::exception& error) {
    throw json_error(file.string(), error);
  }
}

}  // namespace a3sim
