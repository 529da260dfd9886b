// Reads and writes family scores in the .jkl format of GOBNILP.
//
// The first line is the number of variables; then, for each, a line "name families" and one line
// "score parents parent ..." per family. Names hold no white space.
#pragma once

#include <string>
#include <vector>

#include "arcwise/families/family_table.hpp"

namespace arcwise {

struct NamedFamilies {
    std::vector<std::string> names;
    FamilyTable table;
};

void write_jkl(const std::string& path, const std::vector<std::string>& names,
               const FamilyTable& table);

// The families become listed ones; the candidates of a node are all parents it has in some family.
NamedFamilies read_jkl(const std::string& path);

}  // namespace arcwise
