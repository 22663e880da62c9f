#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "scheduler/ssc_check.h"
#include "scheduler/ssc_fields.h"
#include "scheduler/ssc_line.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

using ssc_text::fields;
using ssc_text::Line;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  SscParts parse() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++number_;
      Line line(text_.substr(begin, end - begin), name_, number_);
      if (!line.done()) read(line);
      begin = end + 1;
    }
    for (const char* keyword : {"ssc", "shape", "rank", "graph", "order", "assignment", "workers"}) {
      if (!once_.contains(keyword))
        Line({}, name_, std::max<std::size_t>(number_, 1)).fail("a line '{}' is missing", keyword);
    }
    return std::move(parts_);
  }

  // The line of an item, for flaws that show only when all is read.
  std::size_t line_of(SscItem item, std::size_t i) const {
    return item == SscItem::kHeader ? once_.at("shape") : lines_[static_cast<std::size_t>(item)][i];
  }

 private:
  void read(Line& line) {
    const std::string keyword(line.word("keyword"));
    if (once_.empty() && keyword != "ssc") line.fail("'ssc {}' expected first", kSscVersion);
    if (!read_single(keyword, line) && !read_item(keyword, line)) line.fail("unknown item '{}'", keyword);
    line.finish();
  }

  bool read_single(const std::string& keyword, Line& line) {
    if (keyword == "ssc") {
      version(line);
    } else if (keyword == "shape") {
      fields(line, parts_.shape);
    } else if (keyword == "rank") {
      std::uint32_t rank = 0;
      line.number("rank", rank);
      parts_.rank = RankId{rank};
    } else if (keyword == "graph") {
      parts_.graph.clear();
      line.text("graph", parts_.graph);
    } else if (keyword == "order") {
      parts_.order.clear();
      line.text("order", parts_.order);
    } else if (keyword == "assignment") {
      line.choice<Assignment>("assignment", parts_.assignment);
    } else if (keyword == "workers") {
      line.number("workers of the CTQ", parts_.workers[0]);
      line.number("workers of the VTQ", parts_.workers[1]);
    } else {
      return false;
    }
    const auto [it, first] = once_.emplace(keyword, number_);
    if (!first) line.fail("'{}' stands in line {} already", keyword, it->second);
    return true;
  }

  static void version(Line& line) {
    std::uint32_t version = 0;
    line.number("version", version);
    if (version == kSscVersion) return;
    line.fail("schedule format {}{}; this a3sim reads format {}", version,
              version > kSscVersion ? ", written by a newer a3sim" : "", kSscVersion);
  }

  bool read_item(const std::string& keyword, Line& line) {
    if (keyword == "sent_capacity") return number(line, "rows", parts_.sent_capacity), true;
    if (keyword == "received_capacity") return number(line, "rows", parts_.received_capacity), true;
    if (keyword == "tensor") return item(line, SscItem::kTensor, parts_.tensors);
    if (keyword == "operator") return item(line, SscItem::kOperator, parts_.operators);
    if (keyword == "tiling") return item(line, SscItem::kTiling, parts_.tilings);
    if (keyword == "worker_set") return item(line, SscItem::kWorkerSet, parts_.worker_sets);
    if (keyword == "event") return item(line, SscItem::kEvent, parts_.events);
    if (keyword == "region") return item(line, SscItem::kRegion, parts_.regions);
    if (keyword == "task") return item(line, SscItem::kTask, parts_.tasks);
    if (keyword == "ctq") return queued(line, SscItem::kCtq, parts_.queues[0]);
    if (keyword == "vtq") return queued(line, SscItem::kVtq, parts_.queues[1]);
    return false;
  }

  static void number(Line& line, const char* field, std::vector<std::uint32_t>& numbers) {
    line.number(field, numbers.emplace_back());
  }

  bool queued(Line& line, SscItem kind, std::vector<std::uint32_t>& tasks) {
    lines_[static_cast<std::size_t>(kind)].push_back(number_);
    number(line, "task", tasks);
    return true;
  }

  template <class Item>
  bool item(Line& line, SscItem kind, std::vector<Item>& items) {
    lines_[static_cast<std::size_t>(kind)].push_back(number_);
    fields(line, items.emplace_back());
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t number_ = 0;
  SscParts parts_;
  std::map<std::string, std::size_t, std::less<>> once_;  // keyword -> line
  std::array<std::vector<std::size_t>, kCountOf<SscItem>> lines_;
};

}  // namespace

Ssc Ssc::from_text(std::string_view text, const std::string& name) {
  Parser parser(text, name);
  Ssc ssc = decoded(encode(parser.parse()), name);
  if (const auto flaw = find_flaw(ssc)) {
    throw InputError(fmt::format("{}:{}: {}", name, parser.line_of(flaw->item, flaw->index), flaw->message));
  }
  return ssc;
}

}  // namespace a3sim
