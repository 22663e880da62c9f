#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "traces/formats/ascend/ascend_files.h"

// The profiler's JSON files of the data that a rank sends. All counts as HCCS: a trace does not know the
// plane of a put.
namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMega = 1e6;
constexpr double kLargePacket = 32;  // MB; our own limit, since the profiler's is not published

double milliseconds_of(Duration time) { return static_cast<double>(time.count()) * 1e-9; }

Json bandwidth(double megabytes, double milliseconds) {
  return {{"Transit Size(MB)", megabytes},
          {"Transit Time(ms)", milliseconds},
          {"Bandwidth(GB/s)", milliseconds > 0 ? megabytes / milliseconds : 0}};
}

Json no_bandwidth() {
  Json json = bandwidth(0, 0);
  json["Large Packet Ratio"] = 0;
  json["Size Distribution"] = Json::object();
  return json;
}

Json bandwidths(const ProfiledExchange& exchange) {
  double sent = 0, large = 0;
  std::map<std::uint64_t, std::pair<std::uint64_t, Duration>> sizes;  // puts and their time, by bytes
  for (const auto& [bytes, time] : exchange.puts) {
    const double megabytes = static_cast<double>(bytes) / kMega;
    sent += megabytes;
    if (megabytes >= kLargePacket) ++large;
    ++sizes[bytes].first;
    sizes[bytes].second += time;
  }
  Json json = bandwidth(sent, milliseconds_of(exchange.transit));
  json["Large Packet Ratio"] = exchange.puts.empty() ? 0 : large / static_cast<double>(exchange.puts.size());
  json["Size Distribution"] = Json::object();
  for (const auto& [bytes, entry] : sizes)
    json["Size Distribution"][fmt::format("{}", static_cast<double>(bytes) / kMega)] = {
        entry.first, milliseconds_of(entry.second)};
  return {{"RDMA", no_bandwidth()}, {"HCCS", json}, {"PCIE", no_bandwidth()}, {"SDMA", json}};
}

// Time in which nothing of this rank is under way is idle, not a wait for a peer.
Json times(Duration elapsed, Duration transit) {
  return {{"Elapse Time(ms)", milliseconds_of(elapsed)},
          {"Transit Time(ms)", milliseconds_of(transit)},
          {"Wait Time(ms)", 0},
          {"Synchronization Time(ms)", 0},
          {"Idle Time(ms)", milliseconds_of(elapsed - transit)},
          {"Wait Time Ratio", 0},
          {"Synchronization Time Ratio", 0}};
}

// Returns a meeting or a wait for rows, in which nothing is under way.
Json wait_json(const ProfiledWait& wait) {
  Json json = times(wait.end - wait.start, Duration::zero());
  json["Wait Time(ms)"] = json["Synchronization Time(ms)"] = milliseconds_of(wait.waited);
  json["Idle Time(ms)"] = 0;
  const double ratio = wait.waited > Duration::zero() ? 1 : 0;
  json["Wait Time Ratio"] = json["Synchronization Time Ratio"] = ratio;
  Json entry;
  entry["Communication Time Info"]["Start Timestamp(us)"] =
      static_cast<double>(kEpoch) + microseconds_of(wait.start);
  entry["Communication Time Info"].update(json);
  entry["Communication Bandwidth Info"] = bandwidths(ProfiledExchange());
  return entry;
}

Json step_json(const ProfiledStep& step) {
  Json p2p = Json::object(), collective = Json::object();
  ProfiledExchange all;
  Duration elapsed{};
  for (std::size_t e = 0; e < step.exchanges.size(); ++e) {
    const ProfiledExchange& exchange = step.exchanges[e];
    Json& json = collective[fmt::format("{}@{}", exchange_name(exchange, e), kGroup)];
    Json& time = json["Communication Time Info"];
    time["Start Timestamp(us)"] = static_cast<double>(kEpoch) + microseconds_of(exchange.start);
    time.update(times(exchange.end - exchange.start, exchange.transit));
    json["Communication Bandwidth Info"] = bandwidths(exchange);
    elapsed += exchange.end - exchange.start;
    all.transit += exchange.transit;
    all.puts.insert(all.puts.end(), exchange.puts.begin(), exchange.puts.end());
  }
  for (const ProfiledWait& wait : step.waits)
    (wait.meeting ? collective : p2p)[fmt::format("{}@{}", wait.name, kGroup)] = wait_json(wait);
  collective["Total Op Info"] = {{"Communication Time Info", times(elapsed, all.transit)},
                                 {"Communication Bandwidth Info", bandwidths(all)}};
  return {{"p2p", std::move(p2p)}, {"collective", std::move(collective)}};
}

Json matrix_json(const ProfiledStep& step, const ProfiledDevice& device) {
  Json links = Json::object();
  for (std::uint32_t to = 0; to < device.ranks; ++to) {
    ProfiledExchange::Sent sum;
    for (const ProfiledExchange& exchange : step.exchanges) {
      sum.bytes += exchange.to[to].bytes;
      sum.time += exchange.to[to].time;
    }
    if (sum.bytes == 0) continue;
    Json& link = links[fmt::format("{}-{}", device.rank, to)];
    link["Transport Type"] = "HCCS";
    link.update(bandwidth(static_cast<double>(sum.bytes) / kMega, milliseconds_of(sum.time)));
  }
  return {{"p2p", Json::object()},
          {"collective", {{fmt::format("alltoallv-total@{}", kGroup), std::move(links)}}}};
}

}  // namespace

std::string communication_json(const ProfiledDevice& device) {
  Json json = Json::object();
  for (const ProfiledStep& step : device.profile.steps)
    json[fmt::format("step{}", step.number)] = step_json(step);
  return json.dump(2) + '\n';
}

std::string communication_matrix_json(const ProfiledDevice& device) {
  Json json = Json::object();
  for (const ProfiledStep& step : device.profile.steps)
    json[fmt::format("step{}", step.number)] = matrix_json(step, device);
  return json.dump(2) + '\n';
}

}  // namespace a3sim
