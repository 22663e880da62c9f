#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/runtime/placements/host_placement.h"
#include "sim/runtime/placements/rank_table_file.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;
using Dies = std::vector<std::uint32_t>;

constexpr const char* kOne =
    R"({"version": "1.0", "server_count": "2", "status": "completed", "server_list": [
 {"server_id": "10.0.0.1", "device": [
  {"device_id": "0", "device_ip": "192.1.1.8", "rank_id": "0"}, {"device_id": "1", "device_ip": "192.1.1.9", "rank_id": "1"}]},
 {"server_id": "10.0.0.2", "device": [
  {"device_id": "4", "device_ip": "192.1.2.8", "rank_id": "3"}, {"device_id": "6", "device_ip": "192.1.2.9", "rank_id": "2"}]}]})";

constexpr const char* kTwo = R"({"version": "1.2", "server_count": "3", "server_list": [
 {"server_id": "a", "device": [{"device_id": "0", "super_device_id": "0", "rank_id": "0"}, {"device_id": "1", "super_device_id": "1", "rank_id": "1"}]},
 {"server_id": "b", "device": [{"device_id": "0", "super_device_id": "0", "rank_id": "2"}, {"device_id": "1", "super_device_id": "1", "rank_id": "3"}]},
 {"server_id": "c", "device": [{"device_id": "14", "super_device_id": "30", "rank_id": "4"}, {"device_id": "15", "super_device_id": "31", "rank_id": "5"}]}],
 "super_pod_list": [{"super_pod_id": "0", "server_list": [{"server_id": "a"}, {"server_id": "c"}]},
  {"super_pod_id": "1", "server_list": [{"server_id": "b"}]}]})";

std::string refusal(std::string table, std::string_view from, std::string_view to) {
  const ScratchDirectory folder;
  if (!from.empty()) table.replace(table.find(from), from.size(), to);
  try {
    static_cast<void>(read_rank_table(folder.add("hccl.json", table)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a rank table places ranks on the dies of its servers and super-pods") {
  const ScratchDirectory folder;
  const RankTable one = read_rank_table(folder.add("one.json", kOne));
  CHECK(one.dies(16) == Dies{0, 1, 16 + 6, 16 + 4});
  REQUIRE(one.notes.size() == 1);
  CHECK_THAT(one.notes[0], Contains("one of the two dies of 2 packages has no rank"));
  const RankTable two = read_rank_table(folder.add("two.json", kTwo));
  // A super-pod has 48 nodes; c is the second server of the first one.
  CHECK(two.dies(16) == Dies{0, 1, 48 * 16, 48 * 16 + 1, 16 + 14, 16 + 15});
  REQUIRE(two.notes.size() == 1);
  CHECK_THAT(two.notes[0], Contains("2 super-pods") && Contains("RDMA"));
}

TEST_CASE("a rank table that is wrong is refused with what is wrong") {
  CHECK_THAT(refusal(kOne, "\"rank_id\": \"1\"", "\"rank_id\": \"0\""),
             Contains("rank_id 0 stands there twice"));
  CHECK_THAT(refusal(kOne, "\"rank_id\": \"1\"", "\"rank_id\": \"7\""), Contains("rank_id 1 is missing"));
  CHECK_THAT(refusal(kOne, "\"device_id\": \"1\"", "\"device_id\": \"0\""),
             Contains("device_id 0 stands there twice"));
  CHECK_THAT(refusal(kOne, "\"device_id\": \"1\"", "\"device_id\": \"x\""),
             Contains("device_id 'x', expected a number"));
  CHECK_THAT(refusal(kTwo, "{\"server_id\": \"b\"}]", "{\"server_id\": \"a\"}]"),
             Contains("server a is in two super-pods"));
  CHECK_THAT(refusal(kTwo, ", {\"server_id\": \"c\"}]", "]"), Contains("server c is in no super-pod"));
  CHECK_THAT(refusal("{\"server_list\": [", "", ""), Contains("hccl.json:1:"));
  CHECK_THAT(refusal("[]", "", ""), Contains("expected a rank table"));
}

TEST_CASE("parallel.hosts takes a rank table") {
  const ScratchDirectory folder;
  folder.add("hccl.json", kOne);
  const auto placed = [&](std::uint32_t ranks, const std::string& more) {
    Diagnostics diagnostics;
    const Config config =
        Config::parse("file: hccl.json\n" + more, (folder / "e.yaml").string(), {}, diagnostics);
    const auto dies = HostPlacements::get("rank_table").place(config, ranks);
    return std::pair(dies, diagnostics.empty() ? "" : diagnostics.messages().front());
  };
  CHECK(placed(4, "").first == Dies{0, 1, 22, 20});
  CHECK(placed(4, "node: 8\n").first == Dies{0, 1, 14, 12});
  CHECK_THAT(placed(8, "").second, Contains("4 ranks, and the group has 8: --set parallel.ep=4"));
  CHECK_THAT(placed(4, "node: 2\n").second, Contains("device_id 6 on nodes of 2 dies"));
}

}  // namespace
}  // namespace a3sim
