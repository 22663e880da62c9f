#include <fmt/format.h>

#include <cctype>
#include <iterator>

#include "scheduler/ssc/ssc_fields.h"

namespace a3sim {
namespace {

using ssc_text::fields;

// Collects the names of an item's fields.
class Columns {
 public:
  template <class T>
  void number(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void optional(const char* name, const T&, T) {
    add(name);
  }
  template <class Enum, class T>
  void choice(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void queue(const char* name, const T&) {
    add(name);
  }
  void text(const char* name, const std::string&) { add(name); }
  void flag(const char* name, bool) { add(name); }
  void ids(const char* name, const std::vector<TensorId>&) { add(name); }

  std::string line = "#";

 private:
  void add(const char* name) { (line += ' ') += name; }
};

// Prints the values of an item's fields.
class Writer {
 public:
  Writer(std::string& out, const std::vector<std::string>& queues) : out_(out), queues_(queues) {}

  template <class T>
  void number(const char*, T value) {
    fmt::format_to(std::back_inserter(out_), " {}", value);
  }
  template <class T>
  void optional(const char* name, T value, T none) {
    if (value == none) {
      out_ += " -";
    } else {
      number(name, value);
    }
  }
  template <class Enum, class T>
  void choice(const char*, T value) {
    (out_ += ' ') += name_of(static_cast<Enum>(value));
  }
  template <class T>
  void queue(const char*, T value) {
    (out_ += ' ') += queues_[value];
  }
  void flag(const char*, bool value) { out_ += value ? " yes" : " no"; }
  void ids(const char*, const std::vector<TensorId>& ids) {
    out_ += ' ';
    if (ids.empty()) out_ += '-';
    for (std::size_t i = 0; i < ids.size(); ++i) {
      fmt::format_to(std::back_inserter(out_), "{}{}", i == 0 ? "" : ",", index(ids[i]));
    }
  }
  // Prints text in quotes, with unprintable bytes as \xHH.
  void text(const char*, const std::string& value) {
    out_ += " \"";
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        (out_ += '\\') += c;
      } else if (byte < 0x20 || byte >= 0x7f) {
        fmt::format_to(std::back_inserter(out_), "\\x{:02x}", byte);
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

 private:
  std::string& out_;
  const std::vector<std::string>& queues_;  // their names
};

class Text {
 public:
  explicit Text(const Ssc& ssc) : ssc_(ssc) {
    for (const WorkerKind& kind : ssc.kinds()) queues_.push_back(kind.queue());
  }

  std::string write() {
    header();
    capacities("sent_capacity", "rows by global expert", ssc_.sent_capacity());
    capacities("received_capacity", "rows by local expert, then source rank", ssc_.received_capacity());
    items("tensor", ssc_.tensors());
    items("operator", ssc_.operators());
    items("tiling", ssc_.tilings());
    items("worker_set", ssc_.worker_sets());
    items("event", ssc_.events());
    items("region", ssc_.regions());
    items("task", ssc_.tasks());
    for (std::uint32_t q = 0; q < ssc_.queues(); ++q) queue(q);
    return std::move(out_);
  }

 private:
  template <class Item>
  void item(const char* keyword, Item item) {
    out_ += keyword;
    Writer writer(out_, queues_);
    fields(writer, item);
  }

  // Item numbers are comments, so that inserting an item does not renumber the lines below.
  template <class Item>
  void items(const char* keyword, std::span<const Item> items) {
    columns<Item>(keyword);
    for (std::size_t i = 0; i < items.size(); ++i) {
      item(keyword, items[i]);
      fmt::format_to(std::back_inserter(out_), "  # {}\n", i);
    }
  }

  template <class Item>
  void columns(const char* keyword) {
    Columns columns;
    Item item{};
    fields(columns, item);
    fmt::format_to(std::back_inserter(out_), "\n# {}:{}\n", keyword, columns.line.substr(1));
  }

  void header() {
    out_ +=
        "# A static schedule (SSC): an item a line. Tables are numbered from 0, in the order of their lines; "
        "`-` stands\n"
        "# where a field has no value; what follows a # is a comment.\n";
    Writer writer(out_, queues_);
    (out_ += "ssc"), writer.number("version", kSscVersion);
    columns<MoeShape>("shape");
    item("shape", ssc_.shape());
    (out_ += "\nrank"), writer.number("rank", index(ssc_.rank()));
    (out_ += "\ngraph"), writer.text("graph", ssc_.graph());
    (out_ += "\norder"), writer.text("order", ssc_.order());
    (out_ += "\nassignment"), writer.choice<Assignment>("assignment", ssc_.assignment());
    if (!are_aic_and_aiv(ssc_.kinds())) return kinds();
    (out_ += "\nworkers"), writer.number("ctq", ssc_.workers(kAicQueue));
    writer.number("vtq", ssc_.workers(kAivQueue));
    out_ += "  # of the CTQ, of the VTQ\n";
  }

  void kinds() {
    const std::vector<WorkerKind> kinds(ssc_.kinds().begin(), ssc_.kinds().end());
    out_ += '\n';
    items("kind", std::span<const WorkerKind>(kinds));
  }

  void capacities(const char* keyword, const char* what, std::span<const std::uint32_t> rows) {
    fmt::format_to(std::back_inserter(out_), "\n# {}: {}\n", keyword, what);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      fmt::format_to(std::back_inserter(out_), "{} {}  # {}\n", keyword, rows[i], i);
    }
  }

  void queue(std::uint32_t q) {
    const std::string keyword = ssc_.kinds()[q].queue_key();
    fmt::format_to(std::back_inserter(out_), "\n# {}: tasks in queue order\n", keyword);
    for (const std::uint32_t t : ssc_.queue(q)) {
      const TaskDescriptor& td = ssc_.tasks()[t];
      fmt::format_to(std::back_inserter(out_), "{} {}  # task {} of {} of", keyword, t, td.task_index,
                     td.task_split_num);
      Writer(out_, queues_).text("op", ssc_.operators()[td.op].name);
      out_ += '\n';
    }
  }

  const Ssc& ssc_;
  std::vector<std::string> queues_;  // their names
  std::string out_;
};

}  // namespace

std::string Ssc::to_text() const { return Text(*this).write(); }

}  // namespace a3sim
