"use strict";
var a3sim = (function () {
    var __defProp = Object.defineProperty;
    var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
    var __getOwnPropNames = Object.getOwnPropertyNames;
    var __hasOwnProp = Object.prototype.hasOwnProperty;
    var __defNormalProp = function (obj, key, value) { return key in obj ? __defProp(obj, key, { enumerable: true, configurable: true, writable: true, value: value }) : obj[key] = value; };
    var __export = function (target, all) {
        for (var name in all)
            __defProp(target, name, { get: all[name], enumerable: true });
    };
    var __copyProps = function (to, from, except, desc) {
        if (from && typeof from === "object" || typeof from === "function") {
            var _loop_1 = function (key) {
                if (!__hasOwnProp.call(to, key) && key !== except)
                    __defProp(to, key, { get: function () { return from[key]; }, enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
            };
            for (var _i = 0, _a = __getOwnPropNames(from); _i < _a.length; _i++) {
                var key = _a[_i];
                _loop_1(key);
            }
        }
        return to;
    };
    var __toCommonJS = function (mod) { return __copyProps(__defProp({}, "__esModule", { value: true }), mod); };
    var __publicField = function (obj, key, value) { return __defNormalProp(obj, typeof key !== "symbol" ? key + "" : key, value); };
    var svg_exports = {};
    __export(svg_exports, {
        figure_to_svg: function () { return figure_to_svg; }
    });
    function significant(value) {
        if (value === 0 || !isFinite(value))
            return String(value);
        var digits = Math.floor(Math.log(Math.abs(value)) / Math.LN10 + 1e-9);
        return digits >= 15 || digits < -6 ? value.toPrecision(4) : value.toFixed(Math.max(0, 3 - digits));
    }
    function shortest(value) {
        return String(Number(value.toPrecision(6)));
    }
    function share(axis, value) {
        return axis.log ? Math.log(value / axis.low) / Math.log(axis.high / axis.low) : (value - axis.low) / (axis.high - axis.low);
    }
    function roundPlaces(axis, most) {
        var places = [];
        if (axis.log) {
            var base = axis.high / axis.low > 4096 ? 10 : 2;
            var first2 = Math.ceil(Math.log(axis.low) / Math.log(base) - 1e-9);
            var last = Math.floor(Math.log(axis.high) / Math.log(base) + 1e-9);
            var step2 = Math.max(1, Math.ceil((last - first2 + 1) / most));
            for (var power = first2; power <= last; power += step2)
                places.push(Math.pow(base, power));
            return places;
        }
        var rough = (axis.high - axis.low) / most, decade = Math.pow(10, Math.floor(Math.log(rough) / Math.LN10));
        var step = decade * 10;
        for (var _i = 0, _a = [1, 2, 5]; _i < _a.length; _i++) {
            var factor = _a[_i];
            if (factor * decade >= rough) {
                step = factor * decade;
                break;
            }
        }
        var first = Math.ceil(axis.low / step - 1e-9), count = Math.floor(axis.high / step + 1e-9) - first;
        for (var i = 0; i <= Math.min(count, 100); ++i)
            places.push((first + i) * step);
        return places;
    }
    var longest_name = 40;
    function ticks(axis, most) {
        var list = [];
        if (axis.places.length > 0) {
            var longest = 0;
            for (var _i = 0, _a = axis.names; _i < _a.length; _i++) {
                var name = _a[_i];
                longest = Math.max(longest, name.length);
            }
            var numbered = longest > longest_name || axis.places.length > 30;
            var every = numbered ? Math.ceil(axis.places.length / (2.5 * most)) : 1;
            for (var i = 0; i < axis.places.length; i += every)
                list.push({ at: axis.places[i], text: numbered ? String(i + 1) : axis.names[i] });
            return list;
        }
        for (var _b = 0, _c = roundPlaces(axis, most); _b < _c.length; _b++) {
            var at = _c[_b];
            list.push({ at: at, text: shortest(at) });
        }
        return list;
    }
    var okabeIto = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800", "#000000"];
    var light = {
        text: "#1b1f24",
        muted: "#5f6873",
        grid: "#e6e8eb",
        frame: "#8a929c",
        background: "#ffffff",
        palette: okabeIto
    };
    var viridis = ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32", "#fde725"];
    function viridisAt(share2) {
        var at = Math.max(0, Math.min(1, share2)) * 8, low = Math.min(7, Math.floor(at)), part = at - low;
        return mixed(viridis[low], viridis[low + 1], part);
    }
    function mixed(from, to, part) {
        var text = "#";
        for (var i = 1; i < 7; i += 2) {
            var a = parseInt(from.slice(i, i + 2), 16), b = parseInt(to.slice(i, i + 2), 16);
            var hex = Math.round(a + (b - a) * part).toString(16);
            text += hex.length < 2 ? "0" + hex : hex;
        }
        return text;
    }
    var text_color = 1e3;
    function series_color(theme, color) {
        var size = theme.palette.length - 1, round2 = Math.floor(color / size) % 3;
        if (color === text_color)
            return theme.palette[size];
        var base = theme.palette[color % size];
        return round2 === 0 ? base : mixed(base, round2 === 1 ? theme.background : theme.text, 0.45);
    }
    function escaped(text) {
        return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "�").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
    }
    function round(value) {
        return String(Math.round(value * 10) / 10);
    }
    function tag(name, attributes, inside) {
        if (inside === void 0) { inside = ""; }
        var text = "<" + name;
        for (var _i = 0, _a = Object.keys(attributes); _i < _a.length; _i++) {
            var key = _a[_i];
            text += " " + key + '="' + attributes[key] + '"';
        }
        return inside ? text + ">" + inside + "</" + name + ">" : text + "/>";
    }
    var letter = 6.6;
    var width_of = function (text) { return text.length * letter; };
    function lines_of(text, width) {
        var lines = [];
        var line = "";
        for (var _i = 0, _a = text.split(" "); _i < _a.length; _i++) {
            var word = _a[_i];
            if (line && width_of(line + " " + word) > width) {
                lines.push(line);
                line = word;
            }
            else {
                line = line ? line + " " + word : word;
            }
        }
        lines.push(line);
        return lines;
    }
    function legend_entries(figure) {
        var entries = [];
        if (figure.legend)
            entries.push({ text: figure.legend, series: null });
        for (var _i = 0, _a = figure.series; _i < _a.length; _i++) {
            var series = _a[_i];
            if (series.name)
                entries.push({ text: series.name, series: series });
        }
        for (var _b = 0, _c = figure.key; _b < _c.length; _b++) {
            var text = _c[_b];
            entries.push({ text: text, series: null });
        }
        return entries.length > 1 ? entries : [];
    }
    function dashes(series, palette) {
        if (series.color === text_color)
            return "";
        if (series.hollow)
            return "5 3";
        return ["", "6 4", "2 3"][Math.floor(series.color / palette) % 3];
    }
    var Drawing = (function () {
        function Drawing(figure, width, least, theme) {
            __publicField(this, "figure", figure);
            __publicField(this, "width", width);
            __publicField(this, "theme", theme);
            __publicField(this, "out", "");
            __publicField(this, "box");
            __publicField(this, "height");
            __publicField(this, "entries");
            __publicField(this, "beside");
            __publicField(this, "legend_width", 0);
            __publicField(this, "text_lines");
            __publicField(this, "aslant");
            __publicField(this, "below");
            this.entries = legend_entries(figure);
            for (var _i = 0, _a = this.entries; _i < _a.length; _i++) {
                var entry = _a[_i];
                this.legend_width = Math.max(this.legend_width, width_of(entry.text) + 34);
            }
            this.beside = this.legend_width > 0 && this.legend_width < width * 0.4 && width >= 560;
            this.text_lines = lines_of(figure.origin, width - 24);
            var widest = 0;
            for (var _b = 0, _c = ticks(figure.y, 6); _b < _c.length; _b++) {
                var tick = _c[_b];
                widest = Math.max(widest, width_of(tick.text));
            }
            var top = 42 + 15 * this.text_lines.length;
            var right = 22;
            if (this.beside)
                right = this.legend_width + 20;
            if (figure.cells.length > 0)
                right += 78;
            this.aslant = this.slanted();
            var reach = this.aslant ? Math.min(190, this.longest_below()) : 0;
            this.below = 52 + (this.aslant ? Math.max(0, reach * 0.53 - 8) : 0);
            this.box = { left: Math.min(width * 0.4, Math.max(widest + 42, reach * 0.85 - 16)), right: width - right, top: top, bottom: least - this.below };
            this.box.bottom = Math.max(this.box.bottom, top + 120);
            this.height = this.box.bottom + this.below;
            if (!this.beside)
                this.height += this.below_rows().length * 17;
        }
        Drawing.prototype.draw = function () {
            this.heading();
            this.axes();
            if (this.figure.cells.length > 0)
                this.cells();
            this.bands();
            for (var i = 0; i < this.figure.series.length; ++i)
                this.series(this.figure.series[i]);
            this.bars();
            for (var _i = 0, _a = this.figure.marks; _i < _a.length; _i++) {
                var mark = _a[_i];
                this.text(this.x(mark.x) + 6, this.y(mark.y) - 6, mark.text, { "font-size": 11 });
            }
            this.legend();
            var _b = this, width = _b.width, height = _b.height, theme = _b.theme;
            return tag("svg", {
                xmlns: "http://www.w3.org/2000/svg",
                width: width,
                height: round(height),
                viewBox: "0 0 " + width + " " + round(height),
                "font-family": "system-ui, Helvetica, Arial, sans-serif",
                "font-size": 12,
                fill: theme.text,
                role: "img"
            }, tag("title", {}, escaped(this.figure.title)) + tag("rect", { width: width, height: round(height), fill: theme.background }) + this.out);
        };
        Drawing.prototype.x = function (value) {
            return this.box.left + share(this.figure.x, value) * (this.box.right - this.box.left);
        };
        Drawing.prototype.y = function (value) {
            return this.box.bottom - share(this.figure.y, value) * (this.box.bottom - this.box.top);
        };
        Drawing.prototype.color = function (series) {
            return series_color(this.theme, series.color);
        };
        Drawing.prototype.text = function (x, y, text, more) {
            if (more === void 0) { more = {}; }
            var attributes = { x: round(x), y: round(y) };
            for (var _i = 0, _a = Object.keys(more); _i < _a.length; _i++) {
                var key = _a[_i];
                attributes[key] = more[key];
            }
            this.out += tag("text", attributes, escaped(text) || " ");
        };
        Drawing.prototype.line = function (x1, y1, x2, y2, stroke, more) {
            if (more === void 0) { more = {}; }
            var attributes = { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), stroke: stroke };
            for (var _i = 0, _a = Object.keys(more); _i < _a.length; _i++) {
                var key = _a[_i];
                attributes[key] = more[key];
            }
            this.out += tag("line", attributes);
        };
        Drawing.prototype.heading = function () {
            this.text(12, 22, this.figure.title, { "font-size": 15, "font-weight": 600 });
            for (var i = 0; i < this.text_lines.length; ++i)
                this.text(12, 40 + 15 * i, this.text_lines[i], { "font-size": 11, fill: this.theme.muted });
        };
        Drawing.prototype.longest_below = function () {
            var longest = 0;
            for (var _i = 0, _a = ticks(this.figure.x, 8); _i < _a.length; _i++) {
                var tick = _a[_i];
                longest = Math.max(longest, width_of(tick.text));
            }
            return longest;
        };
        Drawing.prototype.slanted = function () {
            if (this.figure.x.places.length === 0)
                return false;
            var room = this.width * (this.beside ? 0.6 : 0.85);
            return (this.longest_below() + 8) * ticks(this.figure.x, 8).length > room;
        };
        Drawing.prototype.axes = function () {
            var _a = this, box = _a.box, figure = _a.figure, theme = _a.theme, aslant = _a.aslant;
            var room = Math.max(2, Math.floor((box.right - box.left) / 70));
            for (var _i = 0, _b = ticks(figure.x, room); _i < _b.length; _i++) {
                var tick = _b[_i];
                var x = this.x(tick.at);
                if (x < box.left - 0.5 || x > box.right + 0.5)
                    continue;
                if (figure.cells.length === 0)
                    this.line(x, box.top, x, box.bottom, theme.grid);
                if (aslant)
                    this.text(x, box.bottom + 14, tick.text, { "text-anchor": "end", "font-size": 11, transform: "rotate(-32 " + round(x) + " " + round(box.bottom + 14) + ")" });
                else
                    this.text(x, box.bottom + 16, tick.text, { "text-anchor": "middle" });
            }
            for (var _c = 0, _d = ticks(figure.y, 6); _c < _d.length; _c++) {
                var tick = _d[_c];
                var y = this.y(tick.at);
                if (y < box.top - 0.5 || y > box.bottom + 0.5)
                    continue;
                if (figure.cells.length === 0)
                    this.line(box.left, y, box.right, y, theme.grid);
                this.text(box.left - 6, y + 4, tick.text, { "text-anchor": "end" });
            }
            this.out += tag("rect", {
                x: round(box.left),
                y: round(box.top),
                width: round(box.right - box.left),
                height: round(box.bottom - box.top),
                fill: "none",
                stroke: theme.frame
            });
            if (figure.y.truncated)
                this.text(box.left, box.bottom - 8, "≈", { "text-anchor": "middle", "font-size": 18 });
            this.text((box.left + box.right) / 2, box.bottom + this.below - 14, figure.x.name, { "text-anchor": "middle" });
            var middle = (box.top + box.bottom) / 2;
            this.text(15, middle, figure.y.name, { "text-anchor": "middle", transform: "rotate(-90 15 " + round(middle) + ")" });
        };
        Drawing.prototype.bands = function () {
            for (var _i = 0, _a = this.figure.series; _i < _a.length; _i++) {
                var series = _a[_i];
                if (series.kind === "bars")
                    continue;
                var points = series.points;
                var ranged = false;
                for (var _b = 0, points_1 = points; _b < points_1.length; _b++) {
                    var p = points_1[_b];
                    ranged = ranged || p[2] < p[3];
                }
                if (!ranged)
                    continue;
                if (series.kind === "points" || series.hollow) {
                    for (var _c = 0, points_2 = points; _c < points_2.length; _c++) {
                        var p = points_2[_c];
                        this.whisker(this.x(p[0]), p[2], p[3], this.color(series));
                    }
                    continue;
                }
                var path = "";
                for (var i = 0; i < points.length; ++i)
                    path += (i ? "L" : "M") + round(this.x(points[i][0])) + " " + round(this.y(points[i][3]));
                for (var i = points.length - 1; i >= 0; --i)
                    path += "L" + round(this.x(points[i][0])) + " " + round(this.y(points[i][2]));
                this.out += tag("path", { d: path + "Z", fill: this.color(series), "fill-opacity": 0.15 });
            }
        };
        Drawing.prototype.whisker = function (x, low, high, stroke) {
            var top = this.y(high), bottom = this.y(low);
            this.line(x, top, x, bottom, stroke, { "stroke-width": 1.3 });
            this.line(x - 3, top, x + 3, top, stroke, { "stroke-width": 1.3 });
            this.line(x - 3, bottom, x + 3, bottom, stroke, { "stroke-width": 1.3 });
        };
        Drawing.prototype.path_of = function (series) {
            var path = "";
            for (var i = 0; i < series.points.length; ++i) {
                var p = series.points[i], x = round(this.x(p[0]));
                if (i === 0)
                    path = "M";
                else if (series.kind === "steps")
                    path += "H" + x + "V" + round(this.y(p[1]));
                else
                    path += "L";
                if (i === 0 || series.kind !== "steps")
                    path += x + " " + round(this.y(p[1]));
            }
            return path;
        };
        Drawing.prototype.series = function (series) {
            if (series.kind === "bars" || series.points.length === 0)
                return;
            var stroke = this.color(series);
            if (series.kind !== "points" && series.points.length > 1) {
                var attributes = { d: this.path_of(series), fill: "none", stroke: stroke, "stroke-width": series.kind === "plain" ? 1.5 : 2 };
                var dash = dashes(series, this.theme.palette.length - 1);
                if (dash)
                    attributes["stroke-dasharray"] = dash;
                this.out += tag("path", attributes);
            }
            if (series.kind === "plain")
                return;
            for (var _i = 0, _a = series.points; _i < _a.length; _i++) {
                var p = _a[_i];
                this.dot(this.x(p[0]), this.y(p[1]), series, p);
            }
        };
        Drawing.prototype.dot = function (x, y, series, p) {
            var open = series.hollow || series.kind === "steps", stroke = this.color(series);
            var what = (series.name ? series.name + ": " : "") + (p ? shortest(p[0]) + ", " + significant(p[1]) : "");
            this.out += tag("circle", {
                cx: round(x),
                cy: round(y),
                r: open ? 4 : 3.5,
                fill: open ? this.theme.background : stroke,
                stroke: stroke,
                "stroke-width": open ? 1.8 : 1
            }, p ? tag("title", {}, escaped(what)) : "");
        };
        Drawing.prototype.bars = function () {
            var series = [];
            for (var _i = 0, _a = this.figure.series; _i < _a.length; _i++) {
                var one = _a[_i];
                if (one.kind === "bars")
                    series.push(one);
            }
            if (series.length === 0)
                return;
            var group = 0.8, stacked = this.figure.stacked, each = group / (stacked ? 1 : series.length);
            var ends = {};
            for (var i = 0; i < series.length; ++i) {
                var one = series[i], color = this.color(one);
                for (var _b = 0, _c = one.points; _b < _c.length; _b++) {
                    var p = _c[_b];
                    var side = (p[1] < 0 ? "-" : "+") + p[0], base = stacked ? ends[side] || 0 : Math.max(0, this.figure.y.low);
                    var left = p[0] - group / 2 + (stacked ? 0 : i * each);
                    var x = this.x(left) + 1, w = Math.max(1, this.x(left + each) - this.x(left) - 2);
                    var top = this.y(base + p[1] - (stacked ? 0 : base)), bottom = this.y(base);
                    if (stacked)
                        ends[side] = base + p[1];
                    var where = this.figure.x.names[p[0]];
                    this.out += tag("rect", {
                        x: round(x),
                        y: round(Math.min(top, bottom)),
                        width: round(w),
                        height: round(Math.abs(bottom - top)),
                        fill: one.hollow ? this.theme.background : color,
                        stroke: color,
                        "stroke-width": one.hollow ? 1.6 : 0.5
                    }, tag("title", {}, escaped((where ? where + ", " : "") + one.name + ": " + significant(p[1]))));
                    if (p[2] < p[3])
                        this.whisker(x + w / 2, p[2], p[3], this.theme.text);
                }
            }
        };
        Drawing.prototype.cells = function () {
            var _a = this, box = _a.box, figure = _a.figure, w = (this.x(1) - this.x(0)) * 0.98, h = (this.y(0) - this.y(1)) * 0.98;
            for (var _i = 0, _b = figure.cells; _i < _b.length; _i++) {
                var cell = _b[_i];
                var part = share(figure.color, cell[2]), x = this.x(cell[0]), y = this.y(cell[1]);
                var what = figure.x.names[cell[0]] + ", " + figure.y.names[cell[1]] + ": " + significant(cell[2]);
                this.out += tag("rect", {
                    x: round(x - w / 2),
                    y: round(y - h / 2),
                    width: round(w),
                    height: round(h),
                    fill: viridisAt(part)
                }, tag("title", {}, escaped(what)));
                var text = significant(cell[2]);
                if (width_of(text) < w && h > 12)
                    this.text(x, y + 4, text, { "text-anchor": "middle", "pointer-events": "none", fill: part > 0.5 ? "#000" : "#fff" });
            }
            this.color_bar(box.right + 16, box.top, box.bottom);
        };
        Drawing.prototype.color_bar = function (x, top, bottom) {
            var color = this.figure.color, steps = 40;
            for (var i = 0; i < steps; ++i)
                this.out += tag("rect", {
                    x: round(x),
                    y: round(bottom - (i + 1) / steps * (bottom - top)),
                    width: 12,
                    height: round((bottom - top) / steps + 0.6),
                    fill: viridisAt((i + 0.5) / steps)
                });
            for (var _i = 0, _a = ticks(color, 5); _i < _a.length; _i++) {
                var tick = _a[_i];
                var at = share(color, tick.at);
                if (at >= -1e-3 && at <= 1.001)
                    this.text(x + 16, bottom - at * (bottom - top) + 4, tick.text, { "font-size": 11 });
            }
        };
        Drawing.prototype.below_rows = function () {
            var rows = [];
            var left = this.width;
            for (var _i = 0, _a = this.entries; _i < _a.length; _i++) {
                var entry = _a[_i];
                var needs = width_of(entry.text) + 36;
                if (rows.length === 0 || needs > left) {
                    rows.push([]);
                    left = this.width - 24;
                }
                rows[rows.length - 1].push(entry);
                left -= needs;
            }
            return rows;
        };
        Drawing.prototype.entry = function (entry, x, y) {
            var series = entry.series;
            if (!series) {
                this.text(x, y + 4, entry.text, { fill: this.theme.muted });
                return;
            }
            var stroke = this.color(series);
            if (series.kind === "bars") {
                this.out += tag("rect", {
                    x: round(x),
                    y: round(y - 5),
                    width: 16,
                    height: 10,
                    fill: series.hollow ? this.theme.background : stroke,
                    stroke: stroke
                });
            }
            else {
                var more = { "stroke-width": 2 };
                var dash = dashes(series, this.theme.palette.length - 1);
                if (dash)
                    more["stroke-dasharray"] = dash;
                if (series.kind !== "points")
                    this.line(x, y, x + 18, y, stroke, more);
                if (series.kind !== "plain")
                    this.dot(x + 9, y, series, null);
            }
            this.text(x + 24, y + 4, entry.text);
        };
        Drawing.prototype.legend = function () {
            if (this.beside) {
                var x = this.width - this.legend_width - 4;
                for (var i = 0; i < this.entries.length; ++i)
                    this.entry(this.entries[i], x, this.box.top + 8 + 18 * i);
                return;
            }
            var rows = this.below_rows();
            for (var i = 0; i < rows.length; ++i) {
                var x = 12;
                for (var _i = 0, _a = rows[i]; _i < _a.length; _i++) {
                    var entry = _a[_i];
                    this.entry(entry, x, this.height - 10 - 17 * (rows.length - 1 - i));
                    x += width_of(entry.text) + 36;
                }
            }
        };
        return Drawing;
    }());
    function draw(figure, width, height, theme) {
        return new Drawing(figure, width, height, theme).draw();
    }
    function figure_to_svg(json) {
        return draw(JSON.parse(json), 760, 460, light);
    }
    return __toCommonJS(svg_exports);
})();
