#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "scheduler/ssc/ssc_check.h"
#include "scheduler/ssc/ssc_fields.h"
#include "scheduler/ssc/ssc_line.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

using ssc_text::fields;
using ssc_text::Line;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {
    set_kinds(aic_and_aiv(0, 0));
  }

  SscParts parse() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++number_;
      Line line(text_.substr(begin, end - begin), name_, number_, queues_);
      if (!line.done()) read(line);
      begin = end + 1;
    }
    for (const char* keyword : {"ssc", "shape", "rank", "graph", "order", "assignment", "workers"}) {
      if (!once_.contains(keyword) && !(keyword == std::string_view("workers") && has_kinds()))
        Line({}, name_, std::max<std::size_t>(number_, 1)).fail("a line '{}' is missing", keyword);
    }
    return std::move(parts_);
  }

  // Returns the line of an item, for flaws that are found after reading.
  std::size_t line_of(const SscFlaw& flaw) const {
    if (flaw.item == SscItem::kHeader) return once_.at("shape");
    if (flaw.item == SscItem::kQueue) return queue_lines_[flaw.queue][flaw.index];
    const auto& lines = lines_[static_cast<std::size_t>(flaw.item)];
    return flaw.item == SscItem::kKind && !has_kinds() ? once_.at("workers") : lines[flaw.index];
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
      aic_and_aiv_workers(line);
    } else {
      return false;
    }
    const auto [it, first] = once_.emplace(keyword, number_);
    if (!first) line.fail("'{}' stands in line {} already", keyword, it->second);
    return true;
  }

  bool has_kinds() const { return !lines_[static_cast<std::size_t>(SscItem::kKind)].empty(); }

  void aic_and_aiv_workers(Line& line) {
    if (has_kinds()) line.fail("the schedule's workers stand in lines 'kind' already");
    line.number("workers of the CTQ", parts_.kinds[kAicQueue].count);
    line.number("workers of the VTQ", parts_.kinds[kAivQueue].count);
  }

  // The first one replaces AIC and AIV.
  bool kind(Line& line) {
    if (once_.contains("workers")) line.fail("the schedule's workers stand in a line 'workers' already");
    if (in_queues_) line.fail("expected before worker sets, tasks and queues");
    if (!has_kinds()) set_kinds({});
    WorkerKinds kinds = parts_.kinds;
    lines_[static_cast<std::size_t>(SscItem::kKind)].push_back(number_);
    WorkerKind kind;
    fields(line, kind);
    kinds.add(std::move(kind));
    set_kinds(std::move(kinds));
    return true;
  }

  void set_kinds(WorkerKinds kinds) {
    queues_.clear();
    keywords_.clear();
    for (const WorkerKind& kind : kinds) {
      queues_.push_back(kind.queue());
      keywords_.push_back(kind.queue_key());
    }
    parts_.queues.resize(kinds.size());
    queue_lines_.resize(kinds.size());
    parts_.kinds = std::move(kinds);
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
    if (keyword == "kind") return kind(line);
    if (keyword == "worker_set") return in_queue(item(line, SscItem::kWorkerSet, parts_.worker_sets));
    if (keyword == "event") return item(line, SscItem::kEvent, parts_.events);
    if (keyword == "region") return item(line, SscItem::kRegion, parts_.regions);
    if (keyword == "task") return in_queue(item(line, SscItem::kTask, parts_.tasks));
    const auto queue = std::ranges::find(keywords_, keyword);
    return queue != keywords_.end() && in_queue(queued(line, queue - keywords_.begin()));
  }

  bool in_queue(bool found) {
    in_queues_ |= found;
    return found;
  }

  static void number(Line& line, const char* field, std::vector<std::uint32_t>& numbers) {
    line.number(field, numbers.emplace_back());
  }

  bool queued(Line& line, std::ptrdiff_t queue) {
    queue_lines_[static_cast<std::size_t>(queue)].push_back(number_);
    number(line, "task", parts_.queues[static_cast<std::size_t>(queue)]);
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
  std::vector<std::string> queues_, keywords_;            // names of its kinds of workers
  bool in_queues_ = false;                                // an item that names a queue was read
  std::map<std::string, std::size_t, std::less<>> once_;  // keyword -> line
  std::array<std::vector<std::size_t>, kCountOf<SscItem>> lines_;
  std::vector<std::vector<std::size_t>> queue_lines_;
};

}  // namespace

Ssc Ssc::from_text(std::string_view text, const std::string& name) {
  Parser parser(text, name);
  Ssc ssc = decoded(encode(parser.parse()), name);
  if (const auto flaw = find_flaw(ssc)) {
    throw InputError(fmt::format("{}:{}: {}", name, parser.line_of(*flaw), flaw->message));
  }
  return ssc;
}

}  // namespace a3sim
