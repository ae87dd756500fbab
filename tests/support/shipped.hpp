// The shipped tuning data, without the data of the machine.
#pragma once

#include "choose/tuning_files.hpp"
#include "choose/tuning_json.hpp"

namespace clgemm::test {

inline const Tuning& shipped_tuning() {
  static const Tuning tuning = [] {
    std::vector<TuningFile> files;
    for (const EmbeddedFile& file : embedded_tuning())
      files.push_back(parse_tuning(file.text, std::string(file.path)));
    return Tuning(std::move(files));
  }();
  return tuning;
}

}  // namespace clgemm::test
