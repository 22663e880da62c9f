#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/core/config/decimal.h"
#include "sim/core/config/value.h"

namespace a3sim {

// Converts a YAML tree as editors see it: scalars are typed by YAML 1.2's core schema.
inline nlohmann::ordered_json json_of_yaml(const ConfigValue& value) {
  using Json = nlohmann::ordered_json;
  switch (value.kind) {
    case ConfigValue::Kind::kNull:
      return nullptr;
    case ConfigValue::Kind::kList: {
      Json list = Json::array();
      for (const auto& item : value.items) list.push_back(json_of_yaml(*item));
      return list;
    }
    case ConfigValue::Kind::kMap: {
      Json map = Json::object();
      for (const ConfigValue::Entry& entry : value.entries) map[entry.key] = json_of_yaml(*entry.value);
      return map;
    }
    default:
      break;
  }
  const std::string& text = value.text;
  if (text == "true" || text == "false") return text == "true";
  std::int64_t integer = 0;
  const bool digits = text.find_first_not_of("-0123456789") == std::string::npos;
  if (digits && decimal_integer(text, integer)) return integer;
  double number = 0;
  if (!text.empty() && leading_decimal(text).size() == text.size() && decimal_double(text, number))
    return number;
  return text;
}

}  // namespace a3sim
