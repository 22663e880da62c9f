#include "sim/study/results/svg.h"

#include <fmt/format.h>

namespace a3sim {
namespace {

// Mean advance of a character of Helvetica, in parts of its size, and a little more for other fonts.
constexpr double kAdvance = 0.56;

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string points_text(const std::vector<SvgPoint>& points) {
  std::string text;
  for (const SvgPoint& p : points)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", coordinate(p.x), coordinate(p.y));
  return text;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::string_view anchor_name(SvgAnchor anchor) {
  return anchor == SvgAnchor::kStart ? "start" : anchor == SvgAnchor::kMiddle ? "middle" : "end";
}

}  // namespace

Svg::Svg(double width, double height) : width_(width), height_(height) {
  rect(0, 0, width, height, R"(fill="#ffffff")");
}

void Svg::rect(double x, double y, double width, double height, std::string_view style) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" {}/>)", coordinate(x), coordinate(y),
                       coordinate(width), coordinate(height), style) +
           '\n';
}

void Svg::line(SvgPoint from, SvgPoint to, std::string_view style) {
  body_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>)", coordinate(from.x),
                       coordinate(from.y), coordinate(to.x), coordinate(to.y), style) +
           '\n';
}

void Svg::polyline(const std::vector<SvgPoint>& points, std::string_view style) {
  body_ += fmt::format(R"(<polyline points="{}" fill="none" {}/>)", points_text(points), style) + '\n';
}

void Svg::polygon(const std::vector<SvgPoint>& points, std::string_view style) {
  body_ += fmt::format(R"(<polygon points="{}" {}/>)", points_text(points), style) + '\n';
}

void Svg::circle(SvgPoint centre, double radius, std::string_view style) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" {}/>)", coordinate(centre.x), coordinate(centre.y),
                       coordinate(radius), style) +
           '\n';
}

void Svg::text(SvgPoint at, std::string_view text, SvgAnchor anchor, double size, std::string_view style) {
  body_ += fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" font-size="{}"{}{}>{}</text>)",
                       coordinate(at.x), coordinate(at.y), anchor_name(anchor), coordinate(size),
                       style.empty() ? "" : " ", style, escaped(text)) +
           '\n';
}

void Svg::text_upwards(SvgPoint at, std::string_view what, double size) {
  text(at, what, SvgAnchor::kMiddle, size,
       fmt::format("transform=\"rotate(-90 {} {})\"", coordinate(at.x), coordinate(at.y)));
}

std::string Svg::document() const {
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
             R"(font-family="Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif" fill="#222222">)",
             coordinate(width_), coordinate(height_)) +
         '\n' + body_ + "</svg>\n";
}

double text_width(std::string_view text, double size) {
  double characters = 0;
  for (const char c : text) characters += begins_character(c) ? 1 : 0;
  return kAdvance * size * characters;
}

std::string shortened(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) return std::string(text);
  std::string result;
  for (const char c : text) {
    if (begins_character(c) && text_width(result, size) + 2 * kAdvance * size > width) break;
    result += c;
  }
  return result + "…";
}

}  // namespace a3sim
