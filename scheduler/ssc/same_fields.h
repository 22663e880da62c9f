#pragma once

#include <string>
#include <vector>

#include "scheduler/ssc/ssc_fields.h"

namespace a3sim {

// Collects the values of all fields of an item of a schedule. Two items are equal if and only if their values
// are.
class FieldValues {
 public:
  template <class Item>
  explicit FieldValues(Item item) {
    ssc_text::fields(*this, item);
  }
  friend bool operator==(const FieldValues&, const FieldValues&) = default;

  template <class Number>
  void number(const char*, Number value) {
    add(value);
  }
  template <class Number, class None>
  void optional(const char*, Number value, None) {
    add(value);
  }
  template <class Enum, class T>
  void choice(const char*, T value) {
    add(static_cast<std::uint64_t>(value));
  }
  void queue(const char*, std::uint64_t value) { add(value); }
  void flag(const char*, bool value) { add(value); }
  void text(const char*, const std::string& value) { texts_.push_back(value); }
  void ids(const char*, const std::vector<TensorId>& values) {
    add(values.size());
    for (const TensorId id : values) add(index(id));
  }

 private:
  void add(std::uint64_t value) { numbers_.push_back(value); }

  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

// Returns whether two items of a schedule are equal in every field that the schedule file stores.
template <class Item>
bool same_fields(const Item& a, const Item& b) {
  return FieldValues(a) == FieldValues(b);
}

}  // namespace a3sim
