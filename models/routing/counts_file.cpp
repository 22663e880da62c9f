#include "models/routing/counts_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "sim/core/error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

constexpr std::size_t kLargestCounts = std::size_t{1} << 30;

// Reads a CSV of counts, and knows its place for messages.
class CountsReader {
 public:
  CountsReader(const std::string& file, const MoeShape& shape)
      : file_(file), shape_(shape), counts_(shape.ep, shape.experts()) {}

  // Returns the counts of one micro-batch: the only one of the file, or one of many.
  RoutingCounts read(std::uint32_t micro_batch, bool of_many) {
    std::istringstream in(read_file(file_, kLargestCounts));
    std::uint32_t source = 0;
    std::uint64_t skip = of_many ? std::uint64_t{micro_batch} * shape_.ep : 0;
    for (std::string line; std::getline(in, line);) {
      ++line_;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (skip > 0) {
        --skip;
        continue;
      }
      if (source == shape_.ep && of_many) break;
      if (source == shape_.ep)
        fail(0, fmt::format("a line for source {}, but the group has {} ranks", source, source));
      read_source(line, source++);
    }
    ++line_;
    if (of_many && source == 0) {
      fail(0,
           fmt::format("the file ends before micro-batch {}, of {} lines each: make experiment.micro_batches "
                       "smaller",
                       micro_batch + 1, shape_.ep));
    }
    if (source < shape_.ep)
      fail(0, fmt::format("{} lines, expected one for each of {} ranks", source, shape_.ep));
    return std::move(counts_);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:{}: {}", file_, line_, offset + 1, what));
  }

  void read_source(std::string_view line, std::uint32_t source) {
    std::uint64_t sum = 0;
    std::size_t begin = 0;
    for (std::uint32_t expert = 0; expert < shape_.experts(); ++expert) {
      if (begin > line.size()) {
        fail(line.size(),
             fmt::format("{} counts, expected one for each of {} experts", expert, shape_.experts()));
      }
      const std::size_t end = std::min(line.find(',', begin), line.size());
      sum += counts_.at(source, expert) = read_count(line, begin, end);
      begin = end + 1;
    }
    if (begin <= line.size()) fail(begin, fmt::format("more than {} counts", shape_.experts()));
    const std::uint64_t slots = std::uint64_t{shape_.tokens} * shape_.top_k;
    if (sum > slots) {
      fail(0, fmt::format("source {} sends {} rows; {} tokens to {} experts each are {}", source, sum,
                          shape_.tokens, shape_.top_k, slots));
    }
  }

  std::uint32_t read_count(std::string_view line, std::size_t begin, std::size_t end) const {
    while (begin < end && is_blank(line[begin])) ++begin;
    while (begin < end && is_blank(line[end - 1])) --end;
    std::uint32_t count = 0;
    const char* last = line.data() + end;
    const auto [stopped, error] = std::from_chars(line.data() + begin, last, count);
    if (error == std::errc::invalid_argument || stopped != last) {
      fail(begin, fmt::format("'{}' is not a number of rows (a whole number from 0)",
                              line.substr(begin, end - begin)));
    }
    if (error != std::errc() || count > shape_.tokens) {
      fail(begin,
           fmt::format("{} rows to one expert, but the rank has {} tokens and sends each there at most once",
                       line.substr(begin, end - begin), shape_.tokens));
    }
    return count;
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  const std::string& file_;
  const MoeShape& shape_;
  RoutingCounts counts_;
  std::uint32_t line_ = 0;
};

// Takes counts from a file: a line per source rank, a column per global expert; empty lines are skipped. A
// source may send fewer than tokens x top_k rows (dropped tokens), never more, and at most one row of a token
// to an expert.
class CountsFile final : public RoutingGenerator {
 public:
  bool reads_file() const override { return true; }

  RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const override {
    check_top_k(shape);
    return counts_in_file(spec.file, shape, {});
  }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    return dealt_to_tokens(counts(spec, shape).source(src), shape);
  }
};

A3SIM_REGISTER(RoutingGenerator, "file", "counts from a CSV file", CountsFile);

}  // namespace

RoutingCounts counts_in_file(const std::string& file, const MoeShape& shape,
                             std::optional<std::uint32_t> micro_batch) {
  return CountsReader(file, shape).read(micro_batch.value_or(0), micro_batch.has_value());
}

}  // namespace a3sim
