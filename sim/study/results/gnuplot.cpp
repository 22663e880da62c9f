#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/study/results/plot.h"
#include "sim/study/results/temporary_directory.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr double kLogSpan = 8, kPadding = 0.04;
// Powers of two beyond this have labels that nobody knows by heart.
constexpr double kDecadeSpan = 4096;

// Colours that colour-blind readers tell apart (Okabe and Ito, "Color Universal Design", 2008), solid, then
// dashed, then dotted.
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#b8a800"};

// Viridis (Smith and van der Walt, matplotlib, CC0) at ninths.
constexpr const char* kPalette =
    "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', "
    "6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n";

std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("''") : std::string(1, c);
  return safe + "'";
}

std::string stroke(std::size_t series) {
  constexpr std::size_t kMost = std::size(kColors);
  return fmt::format("lc rgb '{}' dt {}", kColors[series % kMost], series / kMost % 3 + 1);
}

std::string axis_text(char which, const PlotAxis& axis) {
  std::string text = fmt::format("set {}label {}\nset {}range [{}:{}]\n", which, quoted(axis.name), which,
                                 axis.low, axis.high);
  if (axis.log)
    text += fmt::format("set logscale {} {}\n", which, axis.high / axis.low > kDecadeSpan ? 10 : 2);
  if (axis.places.empty()) return text;
  text += fmt::format("set {}tics (", which);
  for (std::size_t i = 0; i < axis.places.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(axis.names[i]), axis.places[i]);
  return text + ")\n";
}

// Data, and the parts of the `plot` command that draw them.
class Drawing {
 public:
  explicit Drawing(const Plot& plot) {
    for (const PlotSeries& series : plot.series) add_bands(series);
    for (std::size_t s = 0; s < plot.series.size(); ++s) add_series(plot.series[s], s);
    if (!plot.cells.empty()) add_cells(plot);
    if (!plot.steps.empty()) add_steps(plot.steps);
    if (!plot.marks.empty()) add_marks(plot.marks);
    for (const std::string& line : plot.key) parts_.push_back("keyentry title " + quoted(line));
  }
  std::string text() const { return data_ + fmt::format("plot {}\n", fmt::join(parts_, ", \\\n  ")); }

 private:
  std::string block(const std::string& lines) {
    const std::string name = fmt::format("$data{}", blocks_++);
    data_ += fmt::format("{} << END\n{}END\n", name, lines);
    return name;
  }

  void add_bands(const PlotSeries& series) {
    std::string lines;
    for (const PlotPoint& p : series.points) lines += fmt::format("{} {} {} {}\n", p.x, p.y, p.low, p.high);
    names_.push_back(block(lines));
    if (std::ranges::all_of(series.points, [](const PlotPoint& p) { return p.low == p.high; })) return;
    parts_.push_back(
        fmt::format("{} using 1:3:4 with filledcurves fillstyle transparent solid 0.15 noborder {} notitle",
                    names_.back(), stroke(names_.size() - 1)));
  }

  void add_series(const PlotSeries& series, std::size_t number) {
    parts_.push_back(fmt::format("{} using 1:2 with {} pt 7 ps 0.6 {} {} {}", names_[number],
                                 series.joined ? "linespoints" : "points", series.joined ? "lw 2" : "",
                                 stroke(number),
                                 series.name.empty() ? "notitle" : "title " + quoted(series.name)));
  }

  void add_cells(const Plot& plot) {
    std::string lines;
    const auto scaled = [&](double v) { return plot.color.log ? std::log(v) : v; };
    const double low = scaled(plot.color.low), high = scaled(plot.color.high);
    for (const PlotCell& cell : plot.cells) {
      // Black is read better than white on the brighter half of the colours.
      const bool bright = scaled(cell.value) > (low + high) / 2;
      lines += fmt::format("{} {} {} \"{}\" {}\n", cell.x, cell.y, cell.value, significant(cell.value),
                           bright ? 0x000000 : 0xffffff);
    }
    const std::string name = block(lines);
    parts_.push_back(
        name + " using 1:2:(0.48):(0.48):3 with boxxyerror fillstyle solid noborder lc palette notitle");
    parts_.push_back(name + " using 1:2:4:5 with labels tc rgb variable notitle");
  }

  void add_steps(const std::vector<PlotPoint>& steps) {
    std::string lines;
    for (const PlotPoint& p : steps) lines += fmt::format("{} {}\n", p.x, p.y);
    const std::string name = block(lines);
    parts_.push_back(name + " using 1:2 with steps lw 1.5 lc rgb '#444444' notitle");
    parts_.push_back(name + " using 1:2 with points pt 6 ps 0.9 lc rgb '#222222' notitle");
  }

  void add_marks(const std::vector<PlotMark>& marks) {
    std::string lines;
    for (const PlotMark& mark : marks) lines += fmt::format("{} {} \"{}\"\n", mark.x, mark.y, mark.text);
    parts_.push_back(block(lines) + " using 1:2:3 with labels left offset 0.7,0.7 notitle");
  }

  std::string data_;
  std::vector<std::string> parts_, names_;  // names_: of the series' data
  int blocks_ = 0;
};

}  // namespace

PlotAxis plot_axis(std::string name, const std::vector<double>& values) {
  PlotAxis axis;
  axis.name = std::move(name);
  std::tie(axis.low, axis.high) = std::pair(std::ranges::min(values), std::ranges::max(values));
  if (axis.low > 0 && axis.high / axis.low >= kLogSpan) {
    const double padding = std::pow(axis.high / axis.low, kPadding);
    axis.log = true;
    axis.low /= padding;
    axis.high *= padding;
    return axis;
  }
  // Where zero is near, the axis begins there; elsewhere it leaves some room below the least value.
  const double span = axis.high > axis.low ? axis.high - axis.low : std::max(1e-12, std::abs(axis.high) / 5);
  axis.truncated = axis.low > 0 && axis.low >= axis.high / 2;
  axis.high += kPadding * span;
  axis.low = axis.low >= 0 && !axis.truncated ? 0 : axis.low - kPadding * span;
  return axis;
}

PlotAxis names_axis(std::string name, const std::vector<std::string>& names) {
  PlotAxis axis{std::move(name), false, false, -0.5, static_cast<double>(names.size()) - 0.5, {}, names};
  for (std::size_t i = 0; i < names.size(); ++i) axis.places.push_back(static_cast<double>(i));
  return axis;
}

std::string gnuplot_script(const Plot& plot) {
  std::string text =
      "set terminal svg size 760,460 fixed font 'Helvetica,12' background '#ffffff' noenhanced\n"
      "set encoding utf8\nset output 'plot.svg'\nset grid lc rgb '#e4e4e4' lt 1\nset border lc rgb "
      "'#555555'\n";
  text += kPalette;
  text += fmt::format("set label 1 {} at screen 0.02,0.96 font ',15'\n", quoted(plot.title));
  text +=
      fmt::format("set label 2 {} at screen 0.02,0.91 font ',11' tc rgb '#666666'\n", quoted(plot.origin));
  text += "set tmargin at screen 0.86\nset format '%.6g'\n";
  text += axis_text('x', plot.x) + axis_text('y', plot.y);
  if (plot.y.truncated) text += "set label 3 '≈' at graph 0,0.035 center front font ',18'\n";
  if (!plot.cells.empty())
    text +=
        fmt::format("set cblabel {} offset 2,0\nset cbrange [{}:{}]\n{}unset grid\n", quoted(plot.color.name),
                    plot.color.low, plot.color.high, plot.color.log ? "set logscale cb 2\n" : "");
  const bool legend = !plot.legend.empty() || !plot.key.empty();
  text += legend ? fmt::format("set key outside right top Left reverse samplen 1.5 title {} left\n",
                               quoted(plot.legend))
                 : "unset key\n";
  return text + Drawing(plot).text();
}

std::string svg_of(const Plot& plot) {
  const TemporaryDirectory directory;
  const std::filesystem::path script = directory.path() / "plot.gp", errors = directory.path() / "errors";
  std::ofstream(script) << gnuplot_script(plot);
  // `-d`: without the user's own settings.
  const int status = std::system(
      fmt::format("cd '{}' && gnuplot -d plot.gp 2>errors >&2", directory.path().string()).c_str());
  constexpr int kNotFound = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
    throw RunError("gnuplot is not installed, and --svg draws with it (Debian: gnuplot-nox)");
  if (status != 0) throw RunError("gnuplot has failed: " + read_file(errors));
  return read_file(directory.path() / "plot.svg");
}

}  // namespace a3sim
