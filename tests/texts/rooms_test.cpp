// Checks every #include against the table of rooms in the README of src, tools/bench and tools/tune.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace clgemm::test {
namespace {

namespace fs = std::filesystem;

struct Room {
  std::string name;
  std::set<std::string> may_include;
};

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Returns the rows "| `room/` | contents | room room |".
std::vector<Room> rooms_of(const fs::path& readme) {
  std::vector<Room> rooms;
  std::istringstream lines(text_of(readme));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::size_t last = line.rfind('|');
    const std::size_t column = line.rfind('|', last - 1);
    std::istringstream words(line.substr(column + 1, last - column - 1));
    Room room{line.substr(3, line.find("/`") - 3), {}};
    for (std::string word; words >> word;) room.may_include.insert(word);
    rooms.push_back(room);
  }
  return rooms;
}

// Returns the included files that are in a room.
std::vector<std::string> includes_of(const fs::path& file) {
  constexpr std::string_view directive = "#include \"";
  std::vector<std::string> includes;
  std::istringstream lines(text_of(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(directive, 0) == 0)
      includes.push_back(line.substr(directive.size(), line.rfind('"') - directive.size()));
  }
  return includes;
}

std::string room_of(const std::string& file) {
  return file.substr(0, std::min(file.find('/'), file.size()));
}

// X.hpp and X.cpp count as one.
std::string module_of(const std::string& file) {
  return fs::path(file).replace_extension().string();
}

// Finds circular includes.
class CircleFinder {
 public:
  using Graph = std::map<std::string, std::set<std::string>>;
  explicit CircleFinder(const Graph& graph) : graph_(graph) {}

  std::optional<std::string> find() {
    for (const auto& [module, ignored] : graph_) {
      if (auto circle = walk(module)) return circle;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> walk(const std::string& module) {
    if (const auto on_way = std::find(way_.begin(), way_.end(), module); on_way != way_.end()) {
      std::string circle;
      for (auto step = on_way; step != way_.end(); ++step) circle += *step + " -> ";
      return circle + module;
    }
    const auto found = graph_.find(module);
    if (found == graph_.end() || !seen_.insert(module).second) return std::nullopt;
    way_.push_back(module);
    for (const std::string& next : found->second) {
      if (auto circle = walk(next)) return circle;
    }
    way_.pop_back();
    return std::nullopt;
  }

  const Graph& graph_;
  std::set<std::string> seen_;
  std::vector<std::string> way_;
};

// Checks that rooms in the table include only rooms below them.
void check_table(const std::vector<Room>& rooms, std::vector<std::string>& faults) {
  std::set<std::string> below;
  for (auto room = rooms.rbegin(); room != rooms.rend(); ++room) {
    for (const std::string& other : room->may_include) {
      if (below.count(other) == 0)
        faults.push_back("table: " + room->name + "/ may not include " + other + "/, which is not below it");
    }
    below.insert(room->name);
  }
}

// Returns a line for each wrong include below a folder with such a README. Includes name its rooms behind
// `prefix`.
std::vector<std::string> faults_of(const fs::path& house, const std::string& prefix = "") {
  std::vector<std::string> faults;
  const std::vector<Room> rooms = rooms_of(house / "README.md");
  check_table(rooms, faults);
  std::map<std::string, std::set<std::string>> allowed;
  for (const Room& room : rooms) allowed[room.name] = room.may_include;

  CircleFinder::Graph graph;
  for (const auto& entry : fs::recursive_directory_iterator(house)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".hpp") continue;
    const std::string file = fs::relative(entry.path(), house).generic_string();
    const std::string room = room_of(file);
    if (allowed.count(room) == 0) {
      faults.push_back(file + " is in no room of the table");
      continue;
    }
    for (std::string included : includes_of(entry.path())) {
      if (included.rfind(prefix, 0) == 0) included.erase(0, prefix.size());
      if (included.rfind('.', 0) == 0)
        faults.push_back(file + " includes " + included + ", by no room's name");
      const std::string other = room_of(included);
      if (allowed.count(other) == 0) continue;  // not in this folder
      if (other != room && allowed[room].count(other) == 0) faults.push_back(file + " includes " + included);
      if (module_of(included) != module_of(file)) graph[module_of(file)].insert(module_of(included));
    }
  }
  if (const auto circle = CircleFinder(graph).find()) faults.push_back("circle: " + *circle);
  return faults;
}

// A folder with two rooms and only allowed includes.
class House {
 public:
  House() {
    folder_.write("README.md",
                  "| room | what | may include |\n|---|---|---|\n"
                  "| `top/` | what is above | ground |\n| `ground/` | what is below | |\n");
    write("top/a.hpp", "#include \"ground/b.hpp\"\n#include <vector>\n#include \"other/x.hpp\"\n");
    write("top/a.cpp", "#include \"top/a.hpp\"\n");
    write("ground/b.hpp", "#pragma once\n");
  }

  void write(const std::string& file, const std::string& text) const { folder_.write(file, text); }
  const fs::path& path() const { return folder_.path(); }
  std::vector<std::string> faults() const { return faults_of(path()); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("an include that the table does not allow, a cycle and a file outside of all rooms are found") {
  using Faults = std::vector<std::string>;
  CHECK(House().faults().empty());
  {
    const House house;
    house.write("ground/c.cpp", "#include \"top/a.hpp\"\n");
    CHECK(house.faults() == Faults{"ground/c.cpp includes top/a.hpp"});
  }
  {
    const House house;
    house.write("ground/b.cpp", "#include \"ground/b.hpp\"\n#include \"ground/c.hpp\"\n");
    house.write("ground/c.hpp", "#include \"ground/d.hpp\"\n");
    CHECK(house.faults().empty());
    house.write("ground/d.cpp", "#include \"ground/b.hpp\"\n");
    CHECK(house.faults() == Faults{"circle: ground/b -> ground/c -> ground/d -> ground/b"});
  }
  {
    const House house;
    house.write("ground/c.cpp", "#include \"house/top/a.hpp\"\n");
    CHECK(house.faults().empty());
    CHECK(faults_of(house.path(), "house/") == Faults{"ground/c.cpp includes top/a.hpp"});
  }
  {
    const House house;
    house.write("hall.cpp", "");
    CHECK(house.faults() == Faults{"hall.cpp is in no room of the table"});
  }
  {
    const House house;
    house.write("README.md", "| `top/` | above | ground |\n| `ground/` | below | top |\n");
    CHECK(house.faults() == Faults{"table: ground/ may not include top/, which is not below it"});
  }
}

TEST_CASE("the rooms of the library, of the bench and of the tuner include only allowed rooms") {
  struct {
    const char* folder;
    const char* prefix;
    std::size_t rooms;
  } constexpr houses[] = {{"src", "", 18}, {"tools/bench", "", 7}, {"tools/tune", "tune/", 5}};
  for (const auto& [folder, prefix, rooms] : houses) {
    const fs::path house = fs::path(CLGEMM_SOURCE) / folder;
    CHECK(rooms_of(house / "README.md").size() == rooms);
    for (const std::string& fault : faults_of(house, prefix)) {
      INFO(folder << ": " << fault);
      CHECK(false);
    }
  }
}

// Returns the uses of the checks of call/ in other rooms, as "api/sgemm.cpp: check_host_gemm".
std::multiset<std::string> checks_outside_call(const fs::path& house) {
  std::multiset<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(house)) {
    const std::string file = fs::relative(entry.path(), house).generic_string();
    if (entry.path().extension() != ".cpp" || room_of(file) == "call") continue;
    std::istringstream lines(text_of(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      for (const char* check : {"check_call", "canonical", "check_device_gemm", "check_host_gemm",
                                "check_host_batch", "check_host_lists", "check_group", "check_strided_batch",
                                "check_host_matrices", "place_operands"}) {
        if (has_word(line, check)) found.insert(file + ": " + check);
      }
    }
  }
  return found;
}

TEST_CASE("each entry into the library checks a call once, and nothing below checks it again") {
  CHECK(checks_outside_call(fs::path(CLGEMM_SOURCE) / "src") ==
        std::multiset<std::string>{
            "api/sgemm.cpp: check_device_gemm", "api/sgemm.cpp: check_host_gemm",
            "api/sgemm.cpp: check_host_batch", "api/sgemm.cpp: check_host_lists",
            "context/batches.cpp: check_group", "context/batches.cpp: check_strided_batch",
            "devices/device_set.cpp: check_host_batch", "devices/device_set.cpp: check_host_batch",
            "devices/device_set.cpp: check_host_lists"});
}

}  // namespace
}  // namespace clgemm::test
