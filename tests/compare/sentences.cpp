#include "tests/compare/sentences.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <regex>
#include <set>
#include <vector>

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

struct Document {
  std::vector<std::string> sentences;
  std::set<std::string> told;  // numbers of tables and findings, as they are printed
  bool findings = false;
  std::vector<double>
      derived;  // ratios and changes in per cent of numbers of one row; differences within a column
};

std::vector<std::string> numbers_in(const std::string& text) {
  static const std::regex kNumber(R"((^|[^A-Za-z0-9_.])([0-9]+(\.[0-9]+)?)(?![A-Za-z0-9_]))");
  std::vector<std::string> numbers;
  for (std::sregex_iterator i(text.begin(), text.end(), kNumber), end; i != end; ++i)
    numbers.push_back((*i)[2]);
  return numbers;
}

void take_row(const Json& row, Document& document) {
  std::vector<double> values;
  for (const Json& cell : row) {
    for (const std::string& number : numbers_in(cell.get<std::string>())) {
      document.told.insert(number);
      values.push_back(std::stod(number));
    }
  }
  for (const double a : values) {
    for (const double b : values) {
      if (b == 0) continue;
      document.derived.push_back(a / b);
      document.derived.push_back(100 * std::abs(a / b - 1));
    }
  }
}

// Adds what the numbers of two rows differ by, column by column.
void take_columns(const Json& rows, Document& document) {
  for (const Json& a : rows) {
    for (const Json& b : rows) {
      for (std::size_t c = 0; c < std::min(a.size(), b.size()); ++c) {
        const auto of_a = numbers_in(a[c].get<std::string>()), of_b = numbers_in(b[c].get<std::string>());
        if (of_a.size() == 1 && of_b.size() == 1)
          document.derived.push_back(std::abs(std::stod(of_a[0]) - std::stod(of_b[0])));
      }
    }
  }
}

void take(const Json& json, bool finding, Document& document) {
  if (json.is_string() && finding)
    for (const std::string& number : numbers_in(json.get<std::string>())) document.told.insert(number);
  if (json.is_object() && json.contains("heads") && json.contains("rows")) {
    for (const Json& head : json["heads"])
      for (const std::string& number : numbers_in(head.get<std::string>())) document.told.insert(number);
    for (const Json& row : json["rows"]) take_row(row, document);
    take_columns(json["rows"], document);
    return;
  }
  if (json.is_object() && json.value("kind", "") == "cards") {
    Json row = Json::array();
    for (const Json& card : json["cards"])
      for (const char* const part : {"value", "note"}) row.push_back(card[part]);
    take_row(row, document);
    return;
  }
  if (json.is_object() && json.value("kind", "") == "text") document.sentences.push_back(json["text"]);
  if (!json.is_structured()) return;
  const bool inside = finding || (json.is_object() && json.value("kind", "") == "findings");
  document.findings = document.findings || inside;
  for (const Json& part : json) take(part, inside, document);
}

bool is_derived(const Document& document, const std::string& number) {
  const std::size_t point = number.find('.');
  const double last =
      point == std::string::npos ? 1 : std::pow(10.0, -static_cast<double>(number.size() - point - 1));
  return std::ranges::any_of(document.derived,
                             [&](double value) { return std::abs(value - std::stod(number)) <= last; });
}

}  // namespace

nlohmann::ordered_json page_json(const std::string& html) {
  const std::string begin = R"(<script type="application/json" id="a3sim-page">)";
  const std::size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

void check_sentences(const nlohmann::ordered_json& document) {
  // Of thresholds: by how much parts are better, and from which share on things are named.
  const std::set<std::string> stated{"10", "1", "0.1", "100"};
  static const std::regex kWithUnit(R"((^|[^A-Za-z0-9_.])([0-9]+(\.[0-9]+)?) (%|ms))");
  Document known;
  take(document, false, known);
  REQUIRE_FALSE(known.sentences.empty());
  for (const std::string& sentence : known.sentences) {
    // A report has no more of a finding than its sentence; a page has it all.
    if (sentence.starts_with("First finding: ") && !known.findings) continue;
    for (std::sregex_iterator i(sentence.begin(), sentence.end(), kWithUnit), end; i != end; ++i) {
      const std::string number = (*i)[2];
      INFO(sentence);
      INFO(number);
      CHECK((known.told.contains(number) || stated.contains(number) || is_derived(known, number)));
    }
  }
}

void check_verdict(const Verdict& verdict) {
  const std::string text = verdict_text(verdict);
  INFO(text);
  if (verdict.candidates.empty()) {
    CHECK(text.find("What binds") == std::string::npos);
    return;
  }
  const LimitCandidate& first = verdict.candidates.front();
  for (const LimitCandidate& other : verdict.candidates) CHECK(other.gain() <= first.gain());
  const bool none = text.find("No part gains") != std::string::npos;
  CHECK(none != (text.find("Limited by " + first.name + ":") != std::string::npos));
  if (!none) return;
  for (const LimitCandidate& other : verdict.candidates) {
    CHECK(other.gain() < 0.01);
    // What gains more than a per cent if it is free is named.
    if (other.free && other.free->median > 0.01) CHECK(text.find("would gain most") != std::string::npos);
  }
}

}  // namespace a3sim
