#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// The members of a .zip file, stored or deflated, which stays in memory as long as this. Takes no encrypted ones, and none of several parts.
class ZipFile {
 public:
  // Throws std::invalid_argument with what is wrong.
  explicit ZipFile(std::string_view bytes);

  struct Member {
    std::string name;
    std::size_t at = 0;  // of its local header
    std::size_t packed = 0, unpacked = 0;
    bool deflated = false;
  };
  const std::vector<Member>& members() const { return members_; }
  // Throws std::invalid_argument if the member is damaged, or larger than `most` bytes.
  std::string contents(const Member& member, std::size_t most) const;

 private:
  std::size_t number(std::size_t at, std::size_t bytes) const;
  std::string_view bytes_;
  std::vector<Member> members_;
};

}  // namespace a3sim
