#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "traces/import/job_reader.h"

// Gathers what communication_matrix.json of all ranks says of the links between them.
namespace a3sim {
namespace {

// Returns the kind of exchange of "hcom_allReduce__483_0_1@group" or "hcom_allReduce_-total@group".
std::string kind_of_link(std::string_view name) {
  std::string_view kind = name.substr(0, name.find('@'));
  kind = kind.substr(0, std::min(kind.find("-total"), kind.find("__")));
  while (kind.ends_with('_')) kind.remove_suffix(1);
  return printable(kind);
}

// Numbers of the ranks of one group, as their matrices have them.
class GroupNumbers {
 public:
  explicit GroupNumbers(const ProfiledGroup& group) : group_(group) {}

  void add(const ProfiledLink& link) {
    if (link.from == link.to) own_[link.from] = link.told_by;
    highest_ = std::max({highest_, link.from, link.to});
    told_by_.insert(link.told_by);
    for (const std::uint32_t end : {link.from, link.to})
      in_job_ = in_job_ && (!group_.told || std::ranges::binary_search(group_.ranks, end));
    in_job_ = in_job_ && (link.from == link.told_by || link.to == link.told_by);
  }

  // Returns the rank of a number; nullopt: not known. A rank's own link tells its number, as do the members of the group,
  // unless some of them may not have been profiled. One rank alone does not show whose numbers it has.
  std::optional<std::uint32_t> rank_of(std::uint32_t number) const {
    if (in_job_ && (group_.told || told_by_.size() > 1)) return number;
    if (const auto own = own_.find(number); own != own_.end()) return own->second;
    if (number < group_.ranks.size() && (group_.told || highest_ + 1 == group_.ranks.size()))
      return group_.ranks[number];
    return {};
  }

 private:
  const ProfiledGroup& group_;
  std::uint32_t highest_ = 0;
  std::set<std::uint32_t> told_by_;
  bool in_job_ = true;  // numbers are those of the job: each rank tells of its own links alone
  std::map<std::uint32_t, std::uint32_t> own_;
};

}  // namespace

void JobReader::link(std::uint32_t rank, const RecordedLink& seen) {
  if (seen.bytes <= 0 && seen.from != seen.to) return;
  const std::uint64_t number = number_of(seen.step, rank);
  if (!seen_.contains(number)) return;
  std::vector<ProfiledLink>& links = to_.time_.links;
  const std::uint32_t group = group_of(seen.name, rank);
  const std::string kind = kind_of_link(seen.name);
  // Calls of one kind follow one another where the file does not sum them up.
  const auto same = [&](const ProfiledLink& link) {
    return link.step == number && link.told_by == rank && link.group == group && link.from == seen.from &&
           link.to == seen.to && link.name == kind && link.transport == seen.transport;
  };
  constexpr std::ptrdiff_t kNear = 512;
  const auto near = links.size() > kNear ? links.end() - kNear : links.begin();
  auto found = std::find_if(near, links.end(), same);
  if (found == links.end()) {
    count(link_sums_, "links between ranks", kOfAllRanks);
    links.push_back({number, group, seen.from, seen.to, kind, printable(seen.transport), 0, {}, rank});
    found = links.end() - 1;
  }
  found->bytes += seen.bytes;
  found->transit += seen.transit;
}

void JobReader::number_links() {
  std::vector<ProfiledLink>& links = to_.time_.links;
  std::map<std::uint32_t, GroupNumbers> groups;
  for (const ProfiledLink& link : links)
    groups.try_emplace(link.group, to_.time_.groups[link.group]).first->second.add(link);
  std::set<std::uint32_t> unknown;
  std::erase_if(links, [&](ProfiledLink& link) {
    const GroupNumbers& numbers = groups.at(link.group);
    const auto from = numbers.rank_of(link.from), to = numbers.rank_of(link.to);
    if ((!from || !to) && profiled_.size() > 1) unknown.insert(link.group);
    link.from = from.value_or(link.from);
    link.to = to.value_or(link.to);
    return !from || !to || link.from == link.to;
  });
  for (const std::uint32_t group : unknown)
    to_.job_.missing.push_back(
        {fmt::format("profiler_metadata.json: the ranks of the group {}", to_.time_.groups[group].name),
         "comm.link: whom communication_matrix.json numbers in it"});
  // Where both ends tell of a link, the one that sends counts.
  const auto key = [](const ProfiledLink& link) {
    return std::tie(link.step, link.group, link.name, link.transport, link.from, link.to);
  };
  std::ranges::stable_sort(links, [&](const ProfiledLink& a, const ProfiledLink& b) {
    return std::pair(key(a), a.told_by != a.from) < std::pair(key(b), b.told_by != b.from);
  });
  const auto repeated = std::ranges::unique(
      links, [&](const ProfiledLink& a, const ProfiledLink& b) { return key(a) == key(b); });
  links.erase(repeated.begin(), repeated.end());
}

}  // namespace a3sim
