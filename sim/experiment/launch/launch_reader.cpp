#include "sim/experiment/launch/launch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace a3sim {
namespace {

std::string written_as(const LaunchArgument& argument) {
  return argument.values.size() == 1 ? argument.name + ' ' + argument.values.front().text : argument.name;
}

}  // namespace

LaunchReader::LaunchReader(LaunchScript& script, const Mark& start, Diagnostics& diagnostics)
    : script_(script), start_(start), diagnostics_(diagnostics) {
  script_.config = std::make_unique<ConfigValue>();
  script_.config->kind = ConfigValue::Kind::kMap;
  script_.config->mark = start_;
}

const LaunchArgument* LaunchReader::find(std::string_view name) const {
  const LaunchArgument* last = nullptr;
  for (const LaunchArgument& argument : script_.arguments)
    if (std::string_view(argument.name) == name ||
        (argument.name.starts_with("--") && std::string_view(argument.name).substr(2) == name))
      last = &argument;
  return last;
}

bool LaunchReader::flag(std::string_view name) const {
  const LaunchArgument* const argument = find(name);
  if (argument == nullptr) return false;
  if (argument->values.empty()) return true;
  const std::string& value = argument->values.front().text;
  return value != "false" && value != "False" && value != "0";
}

Mark LaunchReader::mark(std::string_view name) const {
  const LaunchArgument* const argument = find(name);
  return argument ? argument->mark : start_;
}

Mark LaunchReader::value_mark(std::string_view name) const {
  const LaunchArgument* const argument = find(name);
  if (argument == nullptr) return start_;
  return argument->values.empty() ? argument->mark : argument->values.front().mark;
}

std::optional<std::string> LaunchReader::text(std::string_view name, std::string_view key) {
  const LaunchArgument* const argument = find(name);
  if (argument == nullptr) return {};
  if (argument->values.size() != 1) {
    error(argument->mark,
          fmt::format("{} has {} values, expected one", argument->name, argument->values.size()));
    return {};
  }
  const LaunchArgument::Value& value = argument->values.front();
  if (value.unknown.empty()) return value.text;
  open(key, fmt::format("{}: {}", argument->name, value.unknown), value.mark);
  return {};
}

std::optional<std::int64_t> LaunchReader::whole(std::string_view name, std::string_view key,
                                                std::int64_t least) {
  constexpr std::int64_t kMost = 1 << 24;
  const std::optional<std::string> given = text(name, key);
  if (!given) return {};
  std::int64_t value = 0;
  const char* const end = given->data() + given->size();
  const auto [stop, wrong] = std::from_chars(given->data(), end, value);
  if (wrong == std::errc() && stop == end && value >= least && value <= kMost) return value;
  error(value_mark(name), fmt::format("{}: '{}', expected a whole number from {} to {}", find(name)->name,
                                      *given, least, kMost));
  return {};
}

std::optional<std::int64_t> LaunchReader::whole_or(std::string_view name, std::string_view key,
                                                   std::int64_t usual, std::int64_t least) {
  return has(name) ? whole(name, key, least) : usual;
}

ConfigValue& LaunchReader::block(std::string_view path) {
  ConfigValue* at = script_.config.get();
  while (!path.empty()) {
    const std::size_t dot = std::min(path.size(), path.find('.'));
    const std::string key(path.substr(0, dot));
    ConfigValue::Entry* entry = at->find(key);
    if (entry == nullptr) {
      auto value = std::make_unique<ConfigValue>();
      value->kind = ConfigValue::Kind::kMap;
      value->mark = start_;
      entry = &at->add(key, start_, std::move(value));
    }
    at = entry->value.get();
    path.remove_prefix(std::min(path.size(), dot + 1));
  }
  return *at;
}

void LaunchReader::add(std::string_view key, const Mark& mark, std::unique_ptr<ConfigValue> value) {
  const std::size_t dot = key.rfind('.');
  ConfigValue& above = block(key.substr(0, dot));
  const std::string last(key.substr(dot + 1));
  above.take(last);
  above.add(last, mark, std::move(value));
}

void LaunchReader::set(std::string_view key, const std::string& value, const Mark& mark) {
  add(key, mark, ConfigValue::scalar(value, mark));
}

void LaunchReader::set(std::string_view key, std::int64_t value, const Mark& mark) {
  set(key, fmt::format("{}", value), mark);
}

void LaunchReader::set_list(std::string_view key, const std::vector<std::pair<std::string, Mark>>& items) {
  auto list = std::make_unique<ConfigValue>();
  list->kind = ConfigValue::Kind::kList;
  list->mark = items.empty() ? start_ : items.front().second;
  for (const auto& [text, mark] : items) list->items.push_back(ConfigValue::scalar(text, mark));
  const Mark mark = list->mark;
  add(key, mark, std::move(list));
}

void LaunchReader::copy(std::string_view name, std::string_view key, std::int64_t least) {
  if (const auto value = whole(name, key, least)) set(key, *value, value_mark(name));
}

void LaunchReader::open(std::string_view key, const std::string& why, const Mark& mark) {
  auto value = ConfigValue::scalar("", mark);
  value->open = why;
  add(key, mark, std::move(value));
}

// Arguments that are left out for one reason share a line.
void LaunchReader::finish() {
  std::vector<std::pair<std::string, Mark>> lines;
  std::vector<std::string> reasons;
  for (const LaunchArgument& argument : script_.arguments) {
    if (argument.fate != ArgumentFate::kNotModelled && argument.fate != ArgumentFate::kUnknown) continue;
    const std::string reason = argument.fate == ArgumentFate::kUnknown ? "not known here" : argument.what;
    const std::string name = fmt::format("{} (line {})", written_as(argument), argument.mark.line);
    const auto same = std::ranges::find(reasons, reason);
    if (same != reasons.end()) {
      lines[static_cast<std::size_t>(same - reasons.begin())].first += ", " + name;
    } else {
      reasons.push_back(reason);
      lines.emplace_back(name, argument.mark);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].first += ": " + reasons[i];
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  if (!lines.empty()) set_list("step.not_modelled", lines);
}

}  // namespace a3sim
