#include "tests/proof/field_changes.h"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "scheduler/ssc/same_fields.h"
#include "tests/proof/mutation_draws.h"

namespace a3sim {
namespace {

// Gives the names of an item's fields, as the text form has them.
class FieldNames {
 public:
  template <class T>
  void number(const char* name, T&) {
    names.emplace_back(name);
  }
  template <class T>
  void optional(const char* name, T&, T) {
    names.emplace_back(name);
  }
  template <class Enum, class T>
  void choice(const char* name, T&) {
    names.emplace_back(name);
  }
  template <class T>
  void queue(const char* name, T&) {
    names.emplace_back(name);
  }
  void text(const char* name, std::string&) { names.emplace_back(name); }
  void flag(const char* name, bool&) { names.emplace_back(name); }
  void ids(const char* name, std::vector<TensorId>&) { names.emplace_back(name); }

  std::vector<std::string> names;
};

// Draws another value of one field.
class AnotherValue {
 public:
  AnotherValue(std::string field, const SscParts& rank, Rng& rng)
      : field_(std::move(field)), rank_(rank), rng_(rng) {}

  template <class T>
  void number(const char* name, T& value) {
    if (name != field_) return;
    const std::uint64_t now = static_cast<std::uint64_t>(value);
    const std::uint64_t values[] = {now + 1, now - 1, now ^ 2U, now / 2, rng_.below(4)};
    value = static_cast<T>(values[rng_.below(static_cast<std::uint32_t>(std::size(values)))]);
  }
  template <class T>
  void optional(const char* name, T& value, T none) {
    if (name != field_) return;
    if (value == none || rng_.below(4) > 0)
      number(name, value);
    else
      value = none;
  }
  template <class Enum, class T>
  void choice(const char* name, T& value) {
    if (name == field_) value = static_cast<T>(rng_.below(kCountOf<Enum>));
  }
  template <class T>
  void queue(const char* name, T& value) {
    if (name == field_) value = static_cast<T>(rng_.below(size_of(rank_.queues)));
  }
  // The name of another operator, type or tensor, or one that nothing has.
  void text(const char* name, std::string& value) {
    if (name != field_) return;
    if (rng_.below(2) == 0) {
      value += "2";
      return;
    }
    const OperatorInfo& op = rank_.operators[rng_.below(size_of(rank_.operators))];
    const std::string others[] = {op.name, op.type, rank_.tensors[rng_.below(size_of(rank_.tensors))].name};
    value = others[rng_.below(3)];
  }
  void flag(const char* name, bool& value) {
    if (name == field_) value = !value;
  }
  void ids(const char* name, std::vector<TensorId>& values) {
    if (name != field_) return;
    const TensorId other{rng_.below(size_of(rank_.tensors))};
    if (values.empty() || rng_.below(4) == 0)
      values.push_back(other);
    else
      values[rng_.below(size_of(values))] = other;
  }

 private:
  std::string field_;
  const SscParts& rank_;
  Rng& rng_;
};

// Changes of the fields that the text form lists for an item, which `draw` finds; null: there is none.
template <class Item>
void add_item(const std::string& table, const std::function<Item*(SscParts&, Rng&)>& draw,
              std::vector<FieldChange>& changes) {
  Item sample{};
  FieldNames fields;
  ssc_text::fields(fields, sample);
  for (const std::string& name : fields.names) {
    changes.push_back({table + "." + name, [name, draw](SscParts& rank, Rng& rng) {
                         Item* const item = draw(rank, rng);
                         if (item == nullptr) return false;
                         const FieldValues before(*item);
                         AnotherValue another(name, rank, rng);
                         ssc_text::fields(another, *item);
                         return !(FieldValues(*item) == before);
                       }});
  }
}

template <class Item>
void add_table(const std::string& table, std::vector<Item> SscParts::* items,
               std::vector<FieldChange>& changes) {
  add_item<Item>(
      table,
      [items](SscParts& rank, Rng& rng) {
        std::vector<Item>& all = rank.*items;
        return all.empty() ? nullptr : &all[rng.below(size_of(all))];
      },
      changes);
}

bool change_one(std::vector<std::uint32_t>& values, Rng& rng) {
  if (values.empty()) return false;
  std::uint32_t& value = values[rng.below(size_of(values))];
  if (rng.below(2) == 0) {
    ++value;
    return true;
  }
  // The sum stays.
  std::uint32_t& other = values[rng.below(size_of(values))];
  if (&other == &value || other == 0) return false;
  ++value;
  --other;
  return true;
}

bool swap_two(std::vector<std::uint32_t>& queue, Rng& rng) {
  if (queue.size() < 2) return false;
  std::uint32_t &a = queue[rng.below(size_of(queue))], &b = queue[rng.below(size_of(queue))];
  std::swap(a, b);
  return a != b;
}

void add_single_fields(std::vector<FieldChange>& changes) {
  add_item<MoeShape>("Ssc", [](SscParts& rank, Rng&) { return &rank.shape; }, changes);
  changes.push_back({"Ssc.rank", [](SscParts& rank, Rng& rng) {
                       rank.rank = RankId{another(index(rank.rank), rank.shape.ep, rng)};
                       return true;
                     }});
  changes.push_back(
      {"Ssc.sent_capacity", [](SscParts& rank, Rng& rng) { return change_one(rank.sent_capacity, rng); }});
  changes.push_back({"Ssc.received_capacity",
                     [](SscParts& rank, Rng& rng) { return change_one(rank.received_capacity, rng); }});
  for (const auto& [name, text] : {std::pair{"Ssc.graph", &SscParts::graph}, {"Ssc.order", &SscParts::order}})
    changes.push_back({name, [text](SscParts& rank, Rng&) { return !(rank.*text += "2").empty(); }});
  changes.push_back({"Ssc.assignment", [](SscParts& rank, Rng&) {
                       const bool cyclic = rank.assignment == Assignment::kCyclic;
                       rank.assignment = cyclic ? Assignment::kShared : Assignment::kCyclic;
                       return true;
                     }});
  changes.push_back({"Ssc.workers", [](SscParts& rank, Rng& rng) {
                       std::uint32_t& count = rank.kinds[rng.below(rank.kinds.size())].count;
                       rng.below(2) == 0 ? ++count : --count;
                       return true;
                     }});
  for (const auto& [name, queue] :
       {std::pair{"Ssc.ctq", kAicQueue}, {"Ssc.vtq", kAivQueue}, {"Kind.queue", kAivQueue}})
    changes.push_back(
        {name, [queue](SscParts& rank, Rng& rng) { return swap_two(rank.queues[queue], rng); }});
}

}  // namespace

std::vector<FieldChange> field_changes() {
  std::vector<FieldChange> changes;
  add_single_fields(changes);
  add_table("Tensor", &SscParts::tensors, changes);
  add_table("Operator", &SscParts::operators, changes);
  add_table("Tiling", &SscParts::tilings, changes);
  add_table("Task", &SscParts::tasks, changes);
  add_table("Region", &SscParts::regions, changes);
  add_table("Event", &SscParts::events, changes);
  add_table("WorkerSet", &SscParts::worker_sets, changes);
  add_item<WorkerKind>(
      "Kind", [](SscParts& rank, Rng& rng) { return &rank.kinds[rng.below(rank.kinds.size())]; }, changes);
  return changes;
}

std::map<std::string, std::vector<std::string>> schema_fields(const std::string& schema) {
  std::map<std::string, std::vector<std::string>> fields;
  const std::string text = std::regex_replace(schema, std::regex("//[^\n]*"), "");
  const std::regex block("(?:struct|table)\\s+(\\w+)\\s*\\{([^}]*)\\}"), field("(\\w+)\\s*:");
  for (std::sregex_iterator of(text.begin(), text.end(), block), end; of != end; ++of) {
    const std::string body = (*of)[2];
    for (std::sregex_iterator name(body.begin(), body.end(), field); name != end; ++name)
      fields[(*of)[1]].push_back((*name)[1]);
  }
  return fields;
}

}  // namespace a3sim
