// Calls that are made again and again, under faults and without: one of each way through the library.
#pragma once

#include <clgemm/clgemm.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace clgemm::test {

class Scenario {
 public:
  virtual ~Scenario() = default;

  // Makes everything ready for call(), outside of faults.
  virtual void prepare() = 0;
  // What is done under faults.
  virtual void call() = 0;
  // After a call() that returned: whether C and everything around it are right.
  virtual bool is_right() = 0;
  // After a call() that threw: whether everything around C is as it was.
  virtual bool is_undamaged() = 0;
  // A new Context, where the last one's device is lost.
  virtual void renew() = 0;
};

struct NamedScenario {
  std::string name;
  std::function<std::unique_ptr<Scenario>()> make;
};

const std::vector<NamedScenario>& all_scenarios();

}  // namespace clgemm::test
