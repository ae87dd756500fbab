// Other implementations of the same multiply, measured in the same run on the same data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contestant.hpp"

namespace clgemm::bench {

class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string name() const = 0;   // "clblast": its key in reports
  virtual std::string title() const = 0;  // "CLBlast": for people
  virtual std::string version() const = 0;

  // `data` must outlive the contestant.
  virtual std::unique_ptr<Contestant> enter(const DeviceData& data) const = 0;
};

struct Peers {
  std::vector<std::unique_ptr<Peer>> present;
  std::vector<std::string> missing;  // titles of those that this program was built without
};

Peers all_peers();

// Null where the program was built without CLBlast.
std::unique_ptr<Peer> make_clblast();

}  // namespace clgemm::bench
