#include <catch2/catch.hpp>

#include "tests/core/config_text.h"

using namespace a3sim;

TEST_CASE("What was read is known with its type, its limits and what holds without it") {
  const ConfigText text("size: 4\nfabric: {rate: 1 GB/s}\n");
  text.config.integer("size", 1, 9);
  text.config.number("share", 0, 1, 0.5);
  text.config.map("fabric").rate("rate");
  text.config.map("absent").boolean("on", true);
  const KeyTree tree = text.config.known();
  const KeyForm& size = tree.keys.at("size").forms.at(0);
  CHECK(size.kind == KeyKind::kInteger);
  CHECK(size.least == 1);
  CHECK(size.most == 9);
  CHECK(tree.keys.at("size").present);
  CHECK_FALSE(tree.keys.at("size").fallback);
  CHECK(tree.keys.at("share").fallback == "0.5");
  CHECK_FALSE(tree.keys.at("share").present);
  CHECK(tree.keys.at("fabric").below->keys.at("rate").forms.at(0).kind == KeyKind::kQuantity);
  CHECK(tree.keys.at("absent").below->keys.at("on").forms.at(0).kind == KeyKind::kBoolean);
}

TEST_CASE("Names that whoever writes the file gives are one key, which has what any of them has") {
  const ConfigText text("planes: {a: {rate: 1 GB/s}, b: {rate: 2 GB/s, share: 1}, fixed: {x: 1}}\n");
  const Config planes = text.config.map("planes");
  planes.map("fixed").integer("x", 0, 1);
  CHECK(planes.names({"fixed"}) == std::vector<std::string>{"a", "b"});
  planes.map("a").rate("rate");
  planes.map("b").rate("rate");
  planes.map("b").number("share", 0, 1);
  const KeyTree tree = text.config.known();
  const KeyTree& below = *tree.keys.at("planes").below;
  CHECK(below.keys.size() == 1);
  CHECK(below.keys.contains("fixed"));
  REQUIRE(below.any);
  CHECK(below.any->below->keys.contains("rate"));
  CHECK(below.any->below->keys.contains("share"));
}

TEST_CASE("The mappings of a list are known together") {
  const ConfigText text("points: [{a: 1}, {b: x}]\n");
  for (const Config& point : text.config.maps("points")) {
    if (point.has("a")) point.integer("a", 0, 5);
    if (point.has("b")) point.text("b");
  }
  const KeyTree tree = text.config.known();
  const KeyTree& below = *tree.keys.at("points").below;
  CHECK(below.list);
  CHECK(below.keys.at("a").forms.at(0).kind == KeyKind::kInteger);
  CHECK(below.keys.at("b").forms.at(0).kind == KeyKind::kText);
}

TEST_CASE("A limit that depends on the rest is none, and of two choices all names are known") {
  KeyRecord record;
  record.add({.kind = KeyKind::kInteger, .least = 1, .most = 24});
  record.add({.kind = KeyKind::kInteger, .least = 1, .most = 25});
  REQUIRE(record.forms.size() == 1);
  CHECK(record.forms[0].least == 1);
  CHECK(record.forms[0].most == KeyForm().most);
  CHECK(record.forms[0].expected == "an integer of at least 1");
  KeyRecord choice;
  choice.add({.kind = KeyKind::kChoice, .names = {"a", "b"}});
  choice.add({.kind = KeyKind::kChoice, .names = {"b", "c"}});
  CHECK(choice.forms.at(0).names == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("A registered name that there is not is noted with the known ones and the one that was meant") {
  const ConfigText text("kind: blu\n");
  const std::vector<std::string> colours{"blue", "red"};
  CHECK_FALSE(text.config.name("kind", "colour", colours, "red"));
  CHECK(text.errors() == "f.yaml:1:7: kind: unknown colour 'blu'; known: blue, red; did you mean 'blue'?\n");
  const ConfigText none("{}\n"), empty("kind: ''\n");
  CHECK(none.config.name("kind", "colour", colours, "red") == "red");
  CHECK_FALSE(empty.config.name("kind", "colour", colours, "red"));
  CHECK_FALSE(empty.errors().empty());
}

TEST_CASE("Files that one is laid over are a key of the whole file and of no block in it") {
  const ConfigText text("fabric: {rate: 1 GB/s}\n");
  const Config fabric = text.config.map("fabric");
  fabric.rate("rate");
  CHECK(text.config.known().keys.at("include").forms.size() == 2);
  CHECK_FALSE(fabric.known().keys.contains("include"));
}
