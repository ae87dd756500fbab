// The list of peers: a new one needs a file beside this and a line here.
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

struct Maker {
  const char* title;
  std::unique_ptr<Peer> (*make)();
};
constexpr Maker makers[] = {{"CLBlast", make_clblast}};

}  // namespace

Peers all_peers() {
  Peers peers;
  for (const Maker& maker : makers) {
    if (auto peer = maker.make()) {
      peers.present.push_back(std::move(peer));
    } else {
      peers.missing.emplace_back(maker.title);
    }
  }
  return peers;
}

}  // namespace clgemm::bench
