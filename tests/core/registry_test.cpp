#include "sim/core/registry.h"

#include <catch2/catch.hpp>
#include <memory>

namespace a3sim {
namespace {

struct Shape {
  static constexpr std::string_view kKind = "shape";
  explicit Shape(int corners) : corners(corners) {}
  int corners;
};
using Shapes = Registry<Shape>;

A3SIM_REGISTER(Shape, "square", "four corners", Shape(4));
A3SIM_REGISTER(Shape, "circle", "no corners", Shape(0));

TEST_CASE("What a file registers is found by its name") {
  CHECK(Shapes::get("square").corners == 4);
  CHECK(Shapes::find("circle")->corners == 0);
  CHECK(Shapes::find("squ") == nullptr);
  CHECK(Shapes::all().at("square").description == "four corners");
}

TEST_CASE("An unknown name is refused with the known ones, sorted") {
  CHECK(Shapes::known() == "circle, square");
  CHECK_THROWS_WITH(Shapes::get("squar"),
                    "unknown shape 'squar'; known: circle, square; did you mean 'square'?");
  CHECK_THROWS_AS(Shapes::get(""), InputError);
}

}  // namespace
}  // namespace a3sim
