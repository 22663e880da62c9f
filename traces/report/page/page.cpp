#include "traces/report/page/page.h"

#include <fmt/format.h>

#include "traces/formats/gzip.h"
#include "traces/report/page/web_bundle.h"

namespace a3sim {
namespace {

// The page loads and sends nothing, whatever its data say.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'";

// Unpacks the page's script and runs it.
constexpr std::string_view kStart = R"((async () => {
  const packed = document.getElementById("a3sim-script").textContent.trim();
  const stream = new Blob([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))]).stream();
  const script = document.createElement("script");
  script.textContent = await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text();
  document.body.append(script);
})().catch((error) => document.body.prepend("This page cannot be shown: " + error.message));)";

std::string with_replaced(std::string_view text, char what, std::string_view by) {
  std::string replaced;
  for (const char c : text) replaced += c == what ? by : std::string_view(&c, 1);
  return replaced;
}

std::string html_escaped(std::string_view text) {
  return with_replaced(with_replaced(text, '&', "&amp;"), '<', "&lt;");
}

// Returns JSON in which nothing can end the element that holds it. Bytes that are not UTF-8 become
// replacement characters.
std::string inside_script(const nlohmann::ordered_json& json) {
  return with_replaced(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), '<',
                       "\\u003c");
}

std::string packed_element(std::string_view id, std::string_view text) {
  return fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id,
                     base64(gzip(text, GzipFor::kSize)));
}

bool is_number(const Column& column) { return column.form != Form::kPlain; }

nlohmann::ordered_json table_json(const Table& table) {
  using Json = nlohmann::ordered_json;
  Json heads = Json::array(), numbers = Json::array(), rows = Json::array(), values = Json::array();
  std::vector<std::size_t> seen;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (table.columns()[c].seen != Audience::kPrograms) seen.push_back(c);
  }
  std::vector<bool> words(seen.size());
  for (std::size_t row = 0; row < table.rows().size(); ++row) {
    if (!table.row_seen_by(row, Audience::kPeople)) continue;
    Json texts = Json::array(), exact = Json::array();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const Cell& cell = table.rows()[row][seen[i]];
      texts.push_back(text_of(cell, table.columns()[seen[i]]));
      exact.push_back(cell_json(cell));
      words[i] = words[i] || std::holds_alternative<std::string>(cell);
    }
    rows.push_back(std::move(texts));
    values.push_back(std::move(exact));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    heads.push_back(table.columns()[seen[i]].head);
    numbers.push_back(is_number(table.columns()[seen[i]]) || !words[i]);
  }
  return {{"heads", heads}, {"numbers", numbers}, {"rows", rows}, {"values", values}, {"csv", table.csv()}};
}

}  // namespace

void PackedColumns::append(std::int64_t number) {
  constexpr unsigned kBits = 7, kMore = 1U << kBits;
  auto code = static_cast<std::uint64_t>(number) << 1;
  if (number < 0) code = ~code;
  for (; code >= kMore; code >>= kBits) bytes_ += static_cast<char>(code | kMore);
  bytes_ += static_cast<char>(code);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kLetters[three >> (18 - 6 * j) & 63];
  }
  return text;
}

PageBlocks& PageBlocks::cards(const std::vector<Card>& cards) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Card& card : cards)
    list.push_back({{"label", card.label}, {"value", card.value}, {"note", card.note}});
  json.push_back({{"kind", "cards"}, {"cards", std::move(list)}});
  return *this;
}

PageBlocks& PageBlocks::say(const std::string& text) {
  json.push_back({{"kind", "text"}, {"text", text}});
  return *this;
}

PageBlocks& PageBlocks::verdict(const std::string& text) {
  json.push_back({{"kind", "text"}, {"text", text}, {"strong", true}});
  return *this;
}

PageBlocks& PageBlocks::code(const std::string& text) {
  json.push_back({{"kind", "code"}, {"text", text}});
  return *this;
}

PageBlocks& PageBlocks::table(const Table& table) {
  if (table.rows_seen() > 0) json.push_back({{"kind", "table"}, {"table", table_json(table)}});
  return *this;
}

PageBlocks& PageBlocks::figure(const Figure& figure) {
  json.push_back({{"kind", "figure"}, {"figure", figure_json(figure)}});
  return *this;
}

PageBlocks& PageBlocks::report(const Report& report) {
  report.each([this](const std::string& text) { say(text); }, [this](const Table& drawn) { table(drawn); });
  return *this;
}

Page::Page(std::string title, std::string subtitle)
    : page_{{"title", std::move(title)},
            {"subtitle", std::move(subtitle)},
            {"sections", nlohmann::ordered_json::array()}} {}

void Page::add(const std::string& title, const PageBlocks& blocks, bool folded) {
  constexpr std::size_t kPackedFrom = 16384;  // bytes; smaller tables are shown at once
  nlohmann::ordered_json section{{"kind", "blocks"}, {"title", title}, {"blocks", blocks.json}};
  for (nlohmann::ordered_json& block : section["blocks"]) {
    if (block["kind"] != "table") continue;
    const std::string text = inside_script(block["table"]);
    if (text.size() >= kPackedFrom) block = {{"kind", "packed_table"}, {"packed", pack(text)}};
  }
  if (folded) section["folded"] = true;
  add(std::move(section));
}

void Page::add(nlohmann::ordered_json section) { page_["sections"].push_back(std::move(section)); }

nlohmann::ordered_json Page::pack(const PackedColumns& columns) {
  nlohmann::ordered_json json{
      {"id", pack(columns.bytes())}, {"rows", columns.rows()}, {"columns", columns.names()}};
  if (!columns.repeating().empty()) json["repeating"] = columns.repeating();
  return json;
}

std::string Page::pack(std::string_view text) {
  std::string id = fmt::format("packed-{}", parts_++);
  packed_ += packed_element(id, text);
  return id;
}

std::string Page::html(std::string_view program) const {
  nlohmann::ordered_json page = page_;
  page["program"] = program;
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<noscript>This page shows its data by a script of its own.</noscript>\n",
      kPolicy, html_escaped(page["title"].get_ref<const std::string&>()), page_style());
  html +=
      fmt::format("<script type=\"application/json\" id=\"a3sim-page\">{}</script>\n", inside_script(page));
  html += packed_;
  html += packed_element("a3sim-script", page_script());
  return html += fmt::format("<script>{}</script>\n</body>\n</html>\n", kStart);
}

}  // namespace a3sim
