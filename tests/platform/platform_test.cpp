#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/core/error.h"
#include "sim/core/registry.h"
#include "sim/network/network.h"
#include "sim/network/platform_table.h"
#include "sim/network/platform_text.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

// A file that is gone with the object.
class PlatformFile {
 public:
  explicit PlatformFile(const std::string& zone, const std::string& before = "") {
    static int count = 0;
    path_ =
        std::filesystem::temp_directory_path() / fmt::format("a3sim_platform_{}_{}.xml", ::getpid(), count++);
    std::ofstream(path_) << "<?xml version='1.0'?>\n"
                         << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                         << before << "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n"
                         << zone << "</zone>\n</platform>\n";
  }
  PlatformFile(const PlatformFile&) = delete;
  PlatformFile& operator=(const PlatformFile&) = delete;
  ~PlatformFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string hosts(int count) {
  std::string xml;
  for (int h = 0; h < count; ++h) xml += fmt::format("<host id=\"node-{}\" speed=\"1Gf\"/>\n", h);
  return xml;
}

std::string refusal(const PlatformFile& file, const std::string& host = "node-{die}") {
  try {
    read_platform(file.path(), host);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A platform's routes and links are those of its file") {
  const PlatformFile file(
      hosts(3) +
      "<link id=\"a\" bandwidth=\"25GBps\" latency=\"1us\"/>\n"
      "<link id=\"b\" bandwidth=\"10Gbps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n"
      "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/></route>\n"
      "<route src=\"node-0\" dst=\"node-2\"><link_ctn id=\"a\"/><link_ctn id=\"b\" "
      "direction=\"UP\"/></route>\n"
      "<route src=\"node-1\" dst=\"node-2\"><link_ctn id=\"b\" direction=\"UP\"/></route>\n");
  const PlatformTable table = read_platform(file.path(), "node-{die}");
  REQUIRE(table.hosts == 3);
  const auto route = [&](std::uint32_t from, std::uint32_t to) {
    std::string names;
    for (const std::uint32_t link : table.routes[from * 3 + to]) names += table.links[link].name + " ";
    return names;
  };
  CHECK(route(0, 1) == "a ");
  CHECK(route(1, 0) == "a ");
  CHECK(route(0, 2) == "a b_UP ");
  CHECK(route(2, 0) == "b_DOWN a ");
  for (const PlatformLink& link : table.links)
    CHECK(link.rate.count == (link.name == "a" ? 25'000'000'000 : 1'250'000'000));
}

TEST_CASE("A star that SimGrid makes of a cluster gives each host a link each way") {
  const PlatformFile file("");
  std::ofstream(file.path())
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
         "version=\"4.1\">\n"
         "<cluster id=\"c\" prefix=\"node-\" suffix=\".a\" radical=\"0-7\" speed=\"1Gf\" "
         "bw=\"50GBps\" lat=\"1us\"/>\n</platform>\n";
  const PlatformTable table = read_platform(file.path(), "node-{die}.a");
  CHECK(table.hosts == 8);
  CHECK(table.links.size() == 16);
  for (std::uint32_t from = 0; from < 8; ++from)
    for (std::uint32_t to = 0; to < 8; ++to)
      CHECK(table.routes[from * 8 + to].size() == (from == to ? 0 : 2));
}

TEST_CASE("What is wrong with a platform is said with its file, its line and a remedy") {
  const std::string link = "<link id=\"a\" bandwidth=\"25GBps\" latency=\"1us\"/>\n";
  const std::string route = "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/></route>\n";
  CHECK_THAT(refusal(PlatformFile(hosts(2) + link)), Contains("no route from node-0 to node-1: add one"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + link + route), "gpu{die}"),
             Contains("no host is called 'gpu0'"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + link + route), "node"), Contains("{die}"));
  CHECK_THAT(refusal(PlatformFile(
                 hosts(2) + link +
                 "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/><link_ctn id=\"a\"/></route>\n")),
             Contains(".xml:7: the route from node-0 to node-1 goes over link 'a' twice"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + "<link id=\"a\" bandwidth=\"0\" latency=\"1us\"/>\n" + route)),
             Contains(".xml:7: a bandwidth of '0'"));
  CHECK_THAT(refusal(PlatformFile(
                 hosts(2) +
                 "<link id=\"a\" bandwidth=\"1GBps\" latency=\"0\" sharing_policy=\"FATPIPE\"/>\n" + route)),
             Contains(".xml:7: link 'a' is not SHARED"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + "<link id=\"a\" bandwidth=\"1GBps\" bandwidth_file=\"x\"/>\n")),
             Contains(".xml:7: profiles over time"));
  CHECK_THAT(refusal(PlatformFile("<config id=\"c\"/>\n")), Contains(".xml:5: <config>"));
  CHECK_THAT(refusal(PlatformFile("<!-- <config> is\nno matter here -->\n<include file=\"y\"/>\n")),
             Contains(".xml:7: <include>"));
  CHECK_THAT(
      refusal(PlatformFile(hosts(2) + "<route src=\"node-0\" dst=\"node-9\"><link_ctn id=\"a\"/></route>")),
      Contains("SimGrid cannot read it"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + "<link id=\"a")), Contains("does not end"));
}

TEST_CASE("Entities that grow without bounds are not read at all") {
  const PlatformFile bomb(hosts(2), "<!DOCTYPE x [<!ENTITY a \"&b;&b;\"><!ENTITY b \"&c;&c;\">]>\n");
  CHECK_THAT(refusal(bomb), Contains(".xml:3: entities"));
}

TEST_CASE("A platform of very many links is read or refused in seconds") {
  std::string zone = hosts(2);
  for (int l = 0; l < 100'000; ++l)
    zone += fmt::format("<link id=\"l{}\" bandwidth=\"1GBps\" latency=\"1us\"/>\n", l);
  zone += "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"l99999\"/></route>\n";
  const auto start = std::chrono::steady_clock::now();
  const PlatformFile file(zone);
  CHECK(read_platform(file.path(), "node-{die}").links.size() == 1);
  for (int l = 0; l < 100'001; ++l)
    zone += fmt::format("<link id=\"m{}\" bandwidth=\"1GBps\" latency=\"1us\"/>\n", l);
  CHECK_THAT(refusal(PlatformFile(zone)), Contains("more than 200000 links"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

// The last one: from here on this process has a network of SimGrid's.
TEST_CASE("A process that has a network of SimGrid's reads no platform, and says so") {
  const PlatformFile file(hosts(1));
  CHECK(refusal(file).empty());
  NetworkSpec spec;
  spec.egress = spec.ingress = {BytesPerSecond{1'000'000'000}};
  const auto network = Registry<NetworkBackend>::get("simgrid").create(spec);
  CHECK_THAT(refusal(file), Contains("room for one network a process") && Contains("network.backend=native"));
}

}  // namespace
}  // namespace a3sim
