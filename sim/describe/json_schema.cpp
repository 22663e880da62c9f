#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "sim/core/config/quantity.h"
#include "sim/describe/document.h"
#include "sim/describe/key_sentences.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

// A place in the schema: the kind of files, and the path of a key, or of the mapping above keys.
struct Place {
  std::string_view kind;
  std::string path;
  Place below(const std::string& name) const { return {kind, path.empty() ? name : path + '.' + name}; }
};

Json mapping(const KeyTree& tree, const Place& place);

// Returns the schema of text in YAML. What looks like a number or a boolean counts as text too.
Json text_schema() { return {{"type", Json::array({"string", "number", "boolean"})}}; }

Json number_schema(const KeyForm& form) {
  Json schema{{"type", Json::array({"number", "string"})},
              {"pattern", fmt::format("^-?{}$", kNumberPattern)}};
  const KeyForm none;
  if (form.low != none.low) schema["minimum"] = form.low;
  if (form.high != none.high) schema["maximum"] = form.high;
  return schema;
}

Json integer_schema(const KeyForm& form) {
  Json schema{{"type", Json::array({"integer", "string"})}, {"pattern", "^-?(0|[1-9][0-9]*)$"}};
  const KeyForm none;
  if (form.least != none.least) schema["minimum"] = form.least;
  if (form.most != none.most) schema["maximum"] = form.most;
  return schema;
}

// Returns the schema of a scalar without a source.
Json scalar(const KeyForm& form) {
  switch (form.kind) {
    case KeyKind::kBoolean:
      return {{"enum", Json::array({true, false, "true", "false"})}};
    case KeyKind::kInteger:
      return integer_schema(form);
    case KeyKind::kNumber:
      return number_schema(form);
    case KeyKind::kChoice:
      return {{"enum", form.names}};
    case KeyKind::kQuantity:
      return {{"type", "string"}, {"pattern", form.pattern}};
    default:
      return text_schema();
  }
}

Json sourced(const Json& value) {
  return {{"type", "object"},
          {"properties",
           {{"value", value},
            {"source", text_schema()},
            {"range", {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}}},
            {"note", text_schema()},
            {"measure", text_schema()},
            {"fitted", {{"enum", Json::array({true, false, "true", "false"})}}}}},
          {"required", Json::array({"value"})},
          {"additionalProperties", false}};
}

// Adds the schemas of one form, one or two.
void add_form(const KeyForm& form, const KnownKey& known, const Place& place, Json& any_of) {
  switch (form.kind) {
    case KeyKind::kAnything:
      any_of.push_back(Json::object());
      return;
    case KeyKind::kTexts:
      any_of.push_back({{"type", "array"}, {"items", text_schema()}});
      return;
    case KeyKind::kList:
      any_of.push_back({{"type", "array"}});
      return;
    case KeyKind::kMap: {
      Json schema = known.below ? mapping(*known.below, place) : Json{{"type", "object"}};
      schema["type"] = Json::array({"object", "null"});
      any_of.push_back(std::move(schema));
      return;
    }
    case KeyKind::kMaps:
      any_of.push_back({{"type", "array"},
                        {"items", known.below ? mapping(*known.below, place.below("*")) : Json::object()}});
      return;
    default: {
      const Json value = scalar(form);
      any_of.push_back(value);
      any_of.push_back(sourced(value));
    }
  }
}

// Says what a key means, and what it takes.
std::string description_of(const Place& place, const std::string& expected) {
  const std::string_view meaning = meaning_of(place.kind, place.path);
  if (meaning.empty() || expected.empty()) return std::string(meaning) + expected;
  return fmt::format("{} Takes {}.", meaning, expected);
}

Json key_schema(const KnownKey& known, const Place& place) {
  Json schema = Json::object();
  std::string expected;
  Json any_of = Json::array();
  for (const KeyForm& form : known.forms) {
    expected += (expected.empty() ? "" : ", or ") + form.expected;
    add_form(form, known, place, any_of);
  }
  if (const std::string description = description_of(place, expected); !description.empty())
    schema["description"] = description;
  if (known.fallback && !known.fallback->empty()) schema["default"] = *known.fallback;
  if (any_of.size() == 1)
    schema.update(any_of.front());
  else if (!any_of.empty())
    schema["anyOf"] = std::move(any_of);
  return schema;
}

Json mapping(const KeyTree& tree, const Place& place) {
  Json properties = Json::object();
  for (const auto& [name, known] : tree.keys) properties[name] = key_schema(known, place.below(name));
  Json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (tree.any)
    schema["additionalProperties"] = key_schema(*tree.any, place.below("*"));
  else
    schema["additionalProperties"] = false;
  return schema;
}

}  // namespace

Json json_schema(std::string_view name, const Document& document) {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", fmt::format("a3sim {}: {}", name, Documents::all().find(name)->second.description)}};
  schema.update(mapping(known_keys(document), {name, ""}));
  return schema;
}

}  // namespace a3sim
