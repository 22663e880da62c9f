#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// Columns of whole numbers for a page, small and exact. Each value is written as the difference to the one
// above it, its sign in the lowest bit, seven bits a byte, the lowest first (traces/report/web/src/model.ts
// reads it). A value lies within 2^53 of zero, which is what pages' numbers hold.
class PackedColumns {
 public:
  explicit PackedColumns(std::size_t rows) : rows_(rows) {}

  // `value(row)` for each row.
  template <class Value>
  void add(std::string name, Value&& value) {
    names_.push_back(std::move(name));
    std::int64_t before = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto now = static_cast<std::int64_t>(value(row));
      append(now - before);
      before = now;
    }
  }

  std::size_t rows() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(std::int64_t difference);

  std::size_t rows_;
  std::vector<std::string> names_;
  std::string bytes_;
};

// As text that HTML and JSON take as it is.
std::string base64(std::string_view bytes);

}  // namespace a3sim
