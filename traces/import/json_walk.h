#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// Reads a JSON file of any size, value by value.
class JsonWalk : private nlohmann::json_sax<nlohmann::json> {
 public:
  // Throws InputError with the file's name, and the byte if it is no JSON.
  void read(const std::filesystem::path& file);

 protected:
  // Called for each value: numbers with their text, texts, objects and lists. depth() is one more inside an
  // object or list.
  virtual void on_number(double value, const std::string& text) = 0;
  virtual void on_text(const std::string& /*value*/) {}
  virtual void object_begins() {}
  virtual void object_ends() {}
  virtual void list_begins() {}

  const std::string& file() const { return file_; }
  // Returns the depth of objects and lists; the file's own one counts as the first.
  std::size_t depth() const { return keys_.size() - 1; }
  // Returns the current key of the object at this depth.
  std::string_view key_at(std::size_t depth) const {
    return depth < keys_.size() ? std::string_view(keys_[depth]) : std::string_view();
  }
  std::string_view last_key() const { return keys_.back(); }

 private:
  bool null() final { return true; }
  bool boolean(bool) final { return true; }
  bool binary(binary_t&) final { return true; }
  bool number_integer(number_integer_t value) final { return number(value, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) final { return number(value, std::to_string(value)); }
  bool number_float(number_float_t value, const string_t& text) final { return number(value, text); }
  bool string(string_t& value) final { return on_text(value), true; }
  bool key(string_t& value) final { return keys_.back() = value, true; }
  bool start_object(std::size_t) final { return go_deeper(), object_begins(), true; }
  bool end_object() final { return object_ends(), keys_.pop_back(), true; }
  bool start_array(std::size_t) final { return go_deeper(), list_begins(), true; }
  bool end_array() final { return keys_.pop_back(), true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) final;

  template <class Number>
  bool number(Number value, const std::string& text) {
    return on_number(static_cast<double>(value), text), true;
  }
  void go_deeper();

  std::string file_;
  std::vector<std::string> keys_{""};  // one per depth
};

}  // namespace a3sim
