#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

struct SvgPoint {
  double x = 0, y = 0;
};

enum class SvgAnchor { kStart, kMiddle, kEnd };

// A drawing as SVG 1.1 that needs nothing else. Coordinates in pixels from the upper left, written with two
// digits, so that equal drawings are equal bytes. `style` holds attributes: `fill="none" stroke="#000"`.
class Svg {
 public:
  Svg(double width, double height);
  void rect(double x, double y, double width, double height, std::string_view style);
  void line(SvgPoint from, SvgPoint to, std::string_view style);
  void polyline(const std::vector<SvgPoint>& points, std::string_view style);
  void polygon(const std::vector<SvgPoint>& points, std::string_view style);
  void circle(SvgPoint centre, double radius, std::string_view style);
  // Around its baseline; escaped.
  void text(SvgPoint at, std::string_view text, SvgAnchor anchor, double size, std::string_view style = "");
  // Read from below to above.
  void text_upwards(SvgPoint at, std::string_view text, double size);
  std::string document() const;

 private:
  double width_, height_;
  std::string body_;
};

// About how wide a text is in the fonts of these drawings.
double text_width(std::string_view text, double size);
// The text, or its beginning and `…` when it is wider.
std::string shortened(std::string_view text, double width, double size);

}  // namespace a3sim
