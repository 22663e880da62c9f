#include "models/traffic/array_log.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "models/traffic/json_record.h"
#include "models/traffic/token_log.h"
#include "sim/core/error.h"
#include "tests/scratch_directory.h"

using namespace a3sim;

namespace {

// Returns an array as numpy.save() writes it, of numbers of any type.
template <class Number>
std::string npy(const char* type, const std::string& shape, const std::vector<Number>& numbers) {
  std::string header =
      std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ').push_back('\n');
  std::string text("\x93NUMPY\x01\x00", 8);
  text.push_back(static_cast<char>(header.size() & 0xff));
  text.push_back(static_cast<char>(header.size() >> 8));
  text += header;
  text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  return text;
}

void append(std::string& text, std::size_t number, int bytes) {
  for (int b = 0; b < bytes; ++b) text.push_back(static_cast<char>(number >> (8 * b)));
}

// Returns a .zip file with these members, stored or deflated.
std::string zip(const std::vector<std::pair<std::string, std::string>>& members, bool deflated) {
  std::string text, list;
  for (const auto& [name, contents] : members) {
    std::string packed = contents;
    if (deflated) {
      packed.resize(contents.size() + 100);
      z_stream stream{};
      deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
      stream.avail_in = static_cast<uInt>(contents.size());
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, Z_FINISH);
      packed.resize(stream.total_out);
      deflateEnd(&stream);
    }
    const std::size_t at = text.size(), method = deflated ? 8 : 0;
    std::string sizes;
    append(sizes, 0, 4);  // checksum
    append(sizes, packed.size(), 4);
    append(sizes, contents.size(), 4);
    text += "PK\x03\x04";
    append(text, 20, 2), append(text, 0, 2), append(text, method, 2), append(text, 0, 4);
    text += sizes;
    append(text, name.size(), 2), append(text, 3, 2);
    text += name + "xyz" + packed;
    list += "PK\x01\x02";
    append(list, 20, 2), append(list, 20, 2), append(list, 0, 2), append(list, method, 2), append(list, 0, 4);
    list += sizes;
    append(list, name.size(), 2), append(list, 0, 4), append(list, 0, 8), append(list, at, 4);
    list += name;
  }
  const std::size_t at = text.size();
  text += list + "PK\x05\x06";
  append(text, 0, 4), append(text, members.size(), 2), append(text, members.size(), 2),
      append(text, list.size(), 4), append(text, at, 4), append(text, 0, 2);
  return text;
}

struct Held {
  std::vector<TokenRow> tokens;
  std::vector<CountRow> counts;
};

Held read(const std::string& bytes) {
  Held all;
  read_array_log(bytes, {[&](const TokenRow& row) { all.tokens.push_back(row); },
                         [&](const CountRow& row) { all.counts.push_back(row); }});
  return all;
}

}  // namespace

TEST_CASE("Experts of tokens are read from an array, by token and slot or by token, layer and slot") {
  const std::vector<std::int32_t> ids{3, 5, 7, 1, 0, 2, -1, -1};
  const Held flat = read(npy("<i4", "4, 2", ids));
  REQUIRE(flat.tokens.size() == 4);
  CHECK(flat.tokens[1].experts == std::vector<std::uint32_t>{7, 1});
  CHECK(flat.tokens[3].experts.empty());
  const Held deep = read(npy("<i4", "2, 2, 2", ids));
  REQUIRE(deep.tokens.size() == 4);
  CHECK(deep.tokens[1].layer == 1);
  CHECK(deep.tokens[2].layer == 0);
  CHECK(deep.tokens[2].experts == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("Arrays of an archive lie beside one another, stored or deflated") {
  const bool deflated = GENERATE(false, true);
  const std::string file =
      zip({{"topk_ids.npy", npy<std::int64_t>("<i8", "3, 2", {3, 5, 7, 1, 0, 2})},
           {"topk_weights.npy", npy<float>("<f4", "3, 2", {0.5F, 0.25F, 0, 0, 0.5F, 0.25F})},
           {"layer.npy", npy<std::uint8_t>("|u1", "3,", {4, 4, 9})},
           {"req_id.npy", npy<std::int16_t>("<i2", "3,", {1, 1, 2})},
           {"note.npy", npy<char>("|S1", "1,", {'x'})}},
          deflated);
  const Held all = read(file);
  REQUIRE(all.tokens.size() == 3);
  CHECK(all.tokens[0].experts == std::vector<std::uint32_t>{3, 5});
  CHECK(all.tokens[1].experts.empty());  // without weight
  CHECK(all.tokens[2].layer == 9);
  CHECK(all.tokens[2].weights == all.tokens[0].weights);
  CHECK(all.tokens[0].request == hash_of_text("1"));
  const ScratchDirectory scratch;
  CHECK(is_traffic_log(scratch.add("log.npz", file)));
}

TEST_CASE("Layers of their own, masks and counts are read") {
  const Held layers = read(zip({{"layer_0.npy", npy<std::int64_t>("<i8", "1, 2", {3, 5})},
                                {"layer_7.npy", npy<std::int64_t>("<i8", "1, 2", {2, 1})}},
                               true));
  REQUIRE(layers.tokens.size() == 2);
  CHECK(layers.tokens[1].layer == 7);
  const Held mask =
      read(zip({{"routing_map.npy", npy<char>("|b1", "2, 4", {0, 1, 0, 1, 1, 0, 0, 1})}}, false));
  REQUIRE(mask.tokens.size() == 2);
  CHECK(mask.tokens[0].experts == std::vector<std::uint32_t>{1, 3});
  const Held counts =
      read(zip({{"logical_count.npy", npy<std::int64_t>("<i8", "2, 1, 3", {1, 2, 3, 4, 5, 6})}}, false));
  REQUIRE(counts.counts.size() == 2);
  CHECK(counts.counts[1].step == 1);
  CHECK(counts.counts[1].rows == std::vector<std::uint64_t>{4, 5, 6});
}

TEST_CASE("Damaged arrays and archives are refused, whatever is cut off or changed") {
  const std::string file =
      zip({{"topk_ids.npy", npy<std::int64_t>("<i8", "3, 2", {3, 5, 7, 1, 0, 2})}}, true);
  for (std::size_t length = 0; length < file.size(); ++length)
    CHECK_THROWS_AS(read(file.substr(0, length)), std::invalid_argument);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const unsigned char change : {0x01, 0x80, 0xff}) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        read(changed);
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 0);
  CHECK_THROWS_AS(read(npy<std::int64_t>(">i8", "1, 2", {3, 5})), std::invalid_argument);
  CHECK_THROWS_AS(read(npy<std::int64_t>("<i8", "9, 2", {3, 5})), std::invalid_argument);
  CHECK_THROWS_AS(read(npy<std::int64_t>("<i8", "1, 2", {3, 70000})), std::invalid_argument);
  CHECK_THROWS_AS(read(zip({{"other.npy", npy<std::int64_t>("<i8", "1, 2", {3, 5})}}, false)),
                  std::invalid_argument);
}
