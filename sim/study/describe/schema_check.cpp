#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "sim/core/error.h"
#include "sim/study/describe/document.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") {
    return value.is_number_integer() ||
           (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
  }
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "null") return value.is_null();
  throw InputError(fmt::format("a schema with the type '{}', expected one of JSON's", type));
}

class Check {
 public:
  explicit Check(std::vector<std::string>& errors) : errors_(errors) {}

  void check(const Json& schema, const Json& value, const std::string& at) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) wrong(at, "nothing may stand here");
      return;
    }
    for (const auto& [keyword, of] : schema.items()) check_keyword(keyword, of, schema, value, at);
  }

 private:
  void check_keyword(const std::string& keyword, const Json& of, const Json& schema, const Json& value,
                     const std::string& at) {
    if (keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "default")
      return;
    if (keyword == "type") return check_type(of, value, at);
    if (keyword == "enum") {
      if (std::ranges::find(of, value) == of.end())
        wrong(at, fmt::format("{}, expected one of {}", value.dump(), of.dump()));
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(of.get<std::string>())))
        wrong(at, fmt::format("{}, expected what matches {}", value.dump(), of.dump()));
    } else if (keyword == "minimum" || keyword == "maximum") {
      const bool low = keyword == "minimum";
      if (value.is_number() && (low ? value < of : of < value))
        wrong(at, fmt::format("{}, expected at {} {}", value.dump(), low ? "least" : "most", of.dump()));
    } else if (keyword == "minItems" || keyword == "maxItems") {
      const bool low = keyword == "minItems";
      if (value.is_array() &&
          (low ? value.size() < of.get<std::size_t>() : value.size() > of.get<std::size_t>()))
        wrong(at,
              fmt::format("{} items, expected at {} {}", value.size(), low ? "least" : "most", of.dump()));
    } else if (keyword == "required") {
      for (const Json& name : of) {
        if (value.is_object() && !value.contains(name.get<std::string>()))
          wrong(at, fmt::format("without {}", name.dump()));
      }
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(of, value[i], fmt::format("{}/{}", at, i));
    } else if (keyword == "properties") {
      for (const auto& [name, below] : of.items()) {
        if (value.is_object() && value.contains(name)) check(below, value[name], at + '/' + name);
      }
    } else if (keyword == "additionalProperties") {
      check_additional(of, schema, value, at);
    } else if (keyword == "anyOf") {
      check_any(of, value, at);
    } else {
      throw InputError(fmt::format("a schema with '{}', expected keywords that are checked", keyword));
    }
  }

  void check_type(const Json& of, const Json& value, const std::string& at) {
    const bool right =
        of.is_array() ? std::ranges::any_of(
                            of, [&](const Json& type) { return has_type(value, type.get<std::string>()); })
                      : has_type(value, of.get<std::string>());
    if (!right) wrong(at, fmt::format("{}, expected {}", value.type_name(), of.dump()));
  }

  void check_additional(const Json& of, const Json& schema, const Json& value, const std::string& at) {
    if (!value.is_object()) return;
    for (const auto& [name, below] : value.items()) {
      const bool known = schema.contains("properties") && schema["properties"].contains(name);
      if (!known) check(of, below, at + '/' + name);
    }
  }

  void check_any(const Json& of, const Json& value, const std::string& at) {
    std::vector<std::string> nearest;
    for (const Json& one : of) {
      std::vector<std::string> errors;
      Check(errors).check(one, value, at);
      if (errors.empty()) return;
      if (nearest.empty() || errors.front().size() > nearest.front().size()) nearest = std::move(errors);
    }
    errors_.insert(errors_.end(), nearest.begin(), nearest.end());
  }

  void wrong(const std::string& at, const std::string& what) {
    errors_.push_back(fmt::format("{}: {}", at.empty() ? "/" : at, what));
  }

  std::vector<std::string>& errors_;
};

}  // namespace

std::vector<std::string> refused_by(const Json& schema, const Json& document) {
  std::vector<std::string> errors;
  Check(errors).check(schema, document, "");
  return errors;
}

}  // namespace a3sim
