// Draws values by their cells in the families that hold them, and moves families with them.
#include "arcwise/imputation/collapsed_chain.hpp"

#include <algorithm>
#include <utility>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

CountedFamily::CountedFamily(int node, std::vector<int> parents, std::vector<double> pseudo_counts,
                             std::span<const int> levels)
    : node_(node),
      parents_(std::move(parents)),
      levels_(static_cast<std::size_t>(levels[static_cast<std::size_t>(node)])),
      configuration_steps_(parents_.size()),
      pseudo_counts_(std::move(pseudo_counts)) {
    std::size_t configurations = 1;
    for (std::size_t i = parents_.size(); i-- > 0;) {
        configuration_steps_[i] = configurations;
        configurations *= static_cast<std::size_t>(levels[static_cast<std::size_t>(parents_[i])]);
    }
    if (pseudo_counts_.size() != configurations * levels_) {
        throw Error(ErrorKind::argument, "A family needs a pseudo-count for each of its cells.");
    }
    pseudo_sums_.assign(configurations, 0.0);
    for (std::size_t cell = 0; cell < pseudo_counts_.size(); ++cell) {
        // Logarithms are of normal numbers above zero.
        if (!(pseudo_counts_[cell] > 1e-300)) {
            throw Error(ErrorKind::argument, "Pseudo-counts must be above zero.");
        }
        pseudo_sums_[cell / levels_] += pseudo_counts_[cell];
    }
    counts_.assign(pseudo_counts_.size(), 0);
    sums_.assign(configurations, 0);
    log_counts_.resize(counts_.size());
    log_predictives_.resize(counts_.size());
    for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
        log_counts_[cell] = log_kernel(pseudo_counts_[cell], 0.0);
        log_predictives_[cell] = log_counts_[cell] - log_kernel(pseudo_sums_[cell / levels_], 0.0);
    }
}

bool CountedFamily::holds(int variable) const {
    return variable == node_ ||
           std::find(parents_.begin(), parents_.end(), variable) != parents_.end();
}

FamilyCell CountedFamily::step_of(int variable) const {
    if (variable == node_) return {1, 0};
    const auto place = std::find(parents_.begin(), parents_.end(), variable);
    const std::size_t step =
        configuration_steps_[static_cast<std::size_t>(place - parents_.begin())];
    return {step * levels_, step};
}

double CountedFamily::found_logarithms(FamilyCell at) {
    log_counts_[at.cell] = log_kernel(pseudo_counts_[at.cell] + counts_[at.cell], 0.0);
    return log_kernel(pseudo_sums_[at.configuration] + sums_[at.configuration], 0.0);
}

void CountedFamily::look_up(LogCounts& known) {
    const auto equal = [](const std::vector<double>& numbers) {
        return std::all_of(numbers.begin(), numbers.end(),
                           [&](double number) { return number == numbers.front(); });
    };
    if (!equal(pseudo_counts_) || !equal(pseudo_sums_)) return;
    known_counts_ = known.of(pseudo_counts_.front());
    known_sums_ = known.of(pseudo_sums_.front());
}

const double* LogCounts::of(double pseudo_count) {
    std::vector<double>& logs = known_[pseudo_count];
    if (logs.empty()) {
        logs.resize(rows_ + 1);
        for (std::size_t count = 0; count <= rows_; ++count) {
            logs[count] = log_kernel(pseudo_count + static_cast<double>(count), 0.0);
        }
    }
    return logs.data();
}

namespace {

void refuse(bool wrong, const char* sentence) {
    if (wrong) throw Error(ErrorKind::argument, sentence);
}

std::size_t index(int number) { return static_cast<std::size_t>(number); }

}  // namespace

IncompleteRows::IncompleteRows(std::vector<std::uint16_t> of_rows,
                               std::span<const std::int64_t> cells, std::vector<int> of_variables,
                               std::vector<std::vector<double>> without_family,
                               std::vector<std::uint8_t> set_by_intervention)
    : codes(std::move(of_rows)),
      levels(std::move(of_variables)),
      laws(std::move(without_family)),
      intervened(std::move(set_by_intervention)) {
    const std::size_t n = levels.size();
    refuse(n == 0 || codes.size() % n != 0 || cells.size() != codes.size() || laws.size() != n ||
               (!intervened.empty() && intervened.size() != codes.size()),
           "Codes, cells, levels, laws and interventions must be of one table.");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        refuse(codes[i] >= levels[i % n], "A code must be that of a level.");
    }
    for (std::size_t v = 0; v < n; ++v) {
        refuse(!laws[v].empty() && laws[v].size() != static_cast<std::size_t>(levels[v]),
               "A law must have a log probability for each level.");
    }
    const auto last = std::max_element(cells.begin(), cells.end());
    refuse(last != cells.end() && *last >= static_cast<std::int64_t>(cells.size()),
           "Cells must be numbered 0, 1, 2, ...");
    std::vector<std::vector<Place>> places(
        last == cells.end() ? 0 : static_cast<std::size_t>(*last + 1));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] < 0) continue;
        places[static_cast<std::size_t>(cells[i])].push_back({i / n, static_cast<int>(i % n)});
    }
    std::vector<Unknowns> by_row(rows());
    std::vector<Unknowns> copied;
    for (std::vector<Place>& of_cell : places) {
        if (of_cell.size() == 1) {
            by_row[of_cell[0].row].places.push_back(of_cell[0]);
            continue;
        }
        Unknowns one{std::move(of_cell), true, true};
        for (const Place& place : one.places) {
            refuse(levels[static_cast<std::size_t>(place.variable)] !=
                       levels[static_cast<std::size_t>(one.places[0].variable)],
                   "A value that stands in several columns must have the same levels there.");
            one.has_law &= !laws[static_cast<std::size_t>(place.variable)].empty();
        }
        if (!one.places.empty()) copied.push_back(std::move(one));
    }
    for (Unknowns& of_row : by_row) {
        if (!of_row.places.empty()) unknowns.push_back(std::move(of_row));
    }
    for (Unknowns& one : copied) unknowns.push_back(std::move(one));
}

CollapsedChain::CollapsedChain(IncompleteRows rows, std::vector<CountedFamily> families,
                               std::size_t most_completions)
    : rows_(std::move(rows)),
      most_completions_(most_completions),
      logs_of_counts_(std::make_shared<LogCounts>(rows_.rows())),
      all_(rows_.variables(), 1) {
    std::vector<int> found(rows_.variables(), 0);
    for (CountedFamily& family : families) {
        ++found[index(family.node())];
        count(family);
        families_.push_back({std::move(family), 1.0});
    }
    for (std::size_t v = 0; v < found.size(); ++v) {
        if (found[v] != (rows_.laws[v].empty() ? 1 : 0)) {
            throw Error(ErrorKind::argument, "Every variable must have either a family or a law.");
        }
    }
    list_families();
}

const CountedFamily& CollapsedChain::family(int node) const {
    for (const TemperedFamily& tempered : families_) {
        if (tempered.family.node() == node) return tempered.family;
    }
    throw Error(ErrorKind::argument, "A variable with a law has no family.");
}

void CollapsedChain::count(CountedFamily& family) {
    family.look_up(*logs_of_counts_);
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
        if (rows_.counts(row, family.node())) family.add(family.cell_of(rows_.row(row)));
    }
}

void CollapsedChain::list_families() {
    families_of_.assign(rows_.variables(), {});
    for (std::size_t place = 0; place < families_.size(); ++place) {
        const CountedFamily& family = families_[place].family;
        families_of_[index(family.node())].push_back(place);
        for (const int parent : family.parents()) families_of_[index(parent)].push_back(place);
    }
}

void CollapsedChain::sweep(Random& random) { sweep_some(holding(all_), all_, random); }

std::vector<CollapsedChain::UnknownsToDraw> CollapsedChain::holding(
    const std::vector<std::uint8_t>& some) const {
    std::vector<UnknownsToDraw> result;
    for (const Unknowns& unknowns : rows_.unknowns) {
        if (std::any_of(unknowns.places.begin(), unknowns.places.end(),
                        [&](const Place& place) { return some[index(place.variable)] != 0; })) {
            result.push_back({&unknowns, nullptr});
        }
    }
    return result;
}

bool CollapsedChain::move(std::vector<CountedFamily> proposed, double log_ratio, int steps,
                          Random& random) {
    if (steps < 1) throw Error(ErrorKind::argument, "A move has one step or more.");
    // In one step no value is drawn, and nothing but the new families changes.
    const std::vector<TemperedFamily> families_before =
        steps > 1 ? families_ : std::vector<TemperedFamily>();
    const std::vector<std::uint16_t> codes_before =
        steps > 1 ? rows_.codes : std::vector<std::uint16_t>();
    const std::size_t old_families = families_.size();
    std::vector<std::uint8_t> changed(rows_.variables(), 0);
    std::vector<std::uint8_t> scope(rows_.variables(), 0);
    const auto enter = [&](const CountedFamily& family) {
        scope[index(family.node())] = 1;
        for (const int parent : family.parents()) scope[index(parent)] = 1;
    };
    for (CountedFamily& family : proposed) {
        if (!rows_.laws[index(family.node())].empty() || changed[index(family.node())] != 0) {
            throw Error(ErrorKind::argument, "A variable gets one other family, and has one.");
        }
        changed[index(family.node())] = 1;
        enter(family);
        count(family);
        families_.push_back({std::move(family), 0.0});
    }
    for (std::size_t i = 0; i < old_families; ++i) {
        if (changed[index(families_[i].family.node())] != 0) enter(families_[i].family);
    }
    list_families();
    std::vector<UnknownsToDraw> draws;
    CompletionsByVariables known;
    if (steps > 1) {
        draws = holding(scope);
        prepare(draws, scope, known);
    }
    double weight = log_ratio;
    for (int step = 1; step <= steps; ++step) {
        for (std::size_t i = 0; i < families_.size(); ++i) {
            if (changed[index(families_[i].family.node())] == 0) continue;
            const double sign = i < old_families ? -1.0 : 1.0;
            weight += sign * families_[i].family.log_likelihood() / steps;
        }
        if (step == steps) break;
        const double share = static_cast<double>(step) / steps;
        for (std::size_t i = 0; i < families_.size(); ++i) {
            if (changed[index(families_[i].family.node())] == 0) continue;
            families_[i].exponent = i < old_families ? 1.0 - share : share;
        }
        sweep_some(draws, scope, random);
    }
    const double gap = weight < 0.0 ? -weight : 0.0;
    const bool accepted = random.event(gap < farthest ? exp_of_minus(gap) : 0.0);
    if (!accepted && steps > 1) {
        families_ = families_before;
        rows_.codes = codes_before;
    } else if (!accepted) {
        families_.erase(families_.begin() + static_cast<std::ptrdiff_t>(old_families),
                        families_.end());
    } else {
        std::vector<TemperedFamily> kept;
        for (std::size_t i = 0; i < families_.size(); ++i) {
            if (i < old_families && changed[index(families_[i].family.node())] != 0) continue;
            families_[i].exponent = 1.0;
            kept.push_back(std::move(families_[i]));
        }
        families_ = std::move(kept);
    }
    list_families();
    return accepted;
}

bool CollapsedChain::find_places(const Unknowns& unknowns, const std::vector<std::uint8_t>& some) {
    places_.clear();
    std::size_t completions = 1;
    bool many = false;
    for (const Place& place : unknowns.places) {
        if (some[index(place.variable)] == 0) continue;
        places_.push_back(place);
        completions *= index(rows_.levels[index(place.variable)]);
        many |= completions > most_completions_;
        if (many) completions = 1;
    }
    return many;
}

void CollapsedChain::prepare(std::vector<UnknownsToDraw>& draws,
                             const std::vector<std::uint8_t>& some, CompletionsByVariables& known) {
    std::vector<int> key;
    for (UnknownsToDraw& draw : draws) {
        if (draw.unknowns->copied || find_places(*draw.unknowns, some)) continue;
        key.clear();
        for (const Place& place : places_) key.push_back(place.variable);
        if (!rows_.intervened.empty()) {
            // Which families count differs from row to row.
            key.push_back(-1 - static_cast<int>(places_[0].row));
        }
        auto found = known.find(key);
        if (found == known.end()) {
            found = known.emplace(key, Completions()).first;
            list_completions(found->second, places_);
        }
        draw.completions = &found->second;
    }
}

// In either direction as probably, and so with detailed balance; the parts of large rows are chosen
// before, and gone through in the same direction.
void CollapsedChain::sweep_some(std::span<const UnknownsToDraw> draws,
                                const std::vector<std::uint8_t>& some, Random& random) {
    const bool forward = random.event(0.5);
    const std::size_t count = draws.size();
    for (std::size_t i = 0; i < count; ++i) {
        const UnknownsToDraw& draw = draws[forward ? i : count - 1 - i];
        if (draw.completions != nullptr) {
            draw_of_row(*draw.completions, draw.unknowns->places[0].row, random);
        } else if (draw.unknowns->copied) {
            draw_copied(*draw.unknowns, random);
        } else if (find_places(*draw.unknowns, some)) {
            draw_in_parts(forward, random);
        } else if (!places_.empty()) {
            list_completions(completions_, places_);
            draw_of_row(completions_, places_[0].row, random);
        }
    }
}

void CollapsedChain::draw_in_parts(bool forward, Random& random) {
    random.shuffle(std::span<Place>(places_));
    parts_.assign(1, 0);
    std::size_t completions = 1;
    for (std::size_t place = 0; place < places_.size(); ++place) {
        const std::size_t levels = index(rows_.levels[index(places_[place].variable)]);
        completions *= levels;
        if (completions > most_completions_ && place > parts_.back()) {
            parts_.push_back(place);
            completions = levels;
        }
    }
    parts_.push_back(places_.size());
    const std::size_t parts = parts_.size() - 1;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t at = forward ? part : parts - 1 - part;
        list_completions(completions_, std::span<const Place>(places_).subspan(
                                           parts_[at], parts_[at + 1] - parts_[at]));
        draw_of_row(completions_, places_[0].row, random);
    }
}

void CollapsedChain::list_completions(Completions& completions,
                                      std::span<const Place> places) const {
    auto& [variables, holding, steps, count, cells, log_laws] = completions;
    variables.clear();
    holding.clear();
    for (const Place& place : places) {
        variables.push_back(place.variable);
        for (const std::size_t number : families_of_[index(place.variable)]) {
            if (!rows_.counts(place.row, families_[number].family.node())) continue;
            if (std::find(holding.begin(), holding.end(), number) == holding.end()) {
                holding.push_back(number);
            }
        }
    }
    const std::size_t families = holding.size();
    steps.assign(places.size() * families, 0);
    count = 1;
    cells.assign(families, 0);
    log_laws.clear();
    const bool laws = std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return !rows_.laws[index(place.variable)].empty();
    });
    if (laws) log_laws.assign(1, 0.0);
    // The first value changes fastest.
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int variable = places[i].variable;
        for (std::size_t j = 0; j < families; ++j) {
            const CountedFamily& family = families_[holding[j]].family;
            if (family.holds(variable)) steps[i * families + j] = family.step_of(variable).cell;
        }
        const std::size_t levels = index(rows_.levels[index(variable)]);
        cells.reserve(levels * cells.size());
        for (std::size_t level = 1; level < levels; ++level) {
            for (std::size_t k = 0; k < count * families; ++k) {
                cells.push_back(cells[k] + level * steps[i * families + k % families]);
            }
        }
        count *= levels;
        if (!laws) continue;
        const std::vector<double>& law = rows_.laws[index(variable)];
        const std::vector<double> logs = std::exchange(log_laws, {});
        for (std::size_t level = 0; level < levels; ++level) {
            for (const double log : logs) {
                log_laws.push_back(law.empty() ? log : log + law[level]);
            }
        }
    }
}

// In one row every family has one cell, so that the predictive probability of a completion is the
// product over the families that hold some of it.
void CollapsedChain::draw_of_row(const Completions& completions, std::size_t row, Random& random) {
    std::uint16_t* codes = &rows_.codes[row * rows_.variables()];
    const std::size_t families = completions.families.size();
    predictives_.resize(families);
    for (std::size_t j = 0; j < families; ++j) {
        TemperedFamily& tempered = families_[completions.families[j]];
        const FamilyCell at = tempered.family.cell_of(codes);
        tempered.family.remove(at);
        std::size_t first = at.cell;
        for (std::size_t i = 0; i < completions.variables.size(); ++i) {
            first -= completions.steps[i * families + j] * codes[completions.variables[i]];
        }
        predictives_[j] = {tempered.family.log_predictives() + first, tempered.exponent};
    }
    logs_.clear();
    const std::size_t* cells = completions.cells.data();
    for (std::size_t completion = 0; completion < completions.count;
         ++completion, cells += families) {
        double log = 0.0;
        for (std::size_t j = 0; j < families; ++j) {
            log += predictives_[j].exponent * predictives_[j].log_predictives[cells[j]];
        }
        if (!completions.log_laws.empty()) log += completions.log_laws[completion];
        logs_.push_back(log);
    }
    std::size_t completion = draw_completion(random);
    for (const int variable : completions.variables) {
        const std::size_t levels = index(rows_.levels[index(variable)]);
        codes[variable] = static_cast<std::uint16_t>(completion % levels);
        completion /= levels;
    }
    for (const std::size_t number : completions.families) {
        CountedFamily& family = families_[number].family;
        family.add(family.cell_of(codes));
    }
}

// Several rows of one family depend on each other by its parameters: they are added in turn.
void CollapsedChain::draw_copied(const Unknowns& one, Random& random) {
    std::vector<std::pair<TemperedFamily*, std::size_t>> families;
    for (const Place& place : one.places) {
        for (const std::size_t number : families_of_[index(place.variable)]) {
            const std::pair<TemperedFamily*, std::size_t> each{&families_[number], place.row};
            if (rows_.counts(place.row, each.first->family.node()) &&
                std::find(families.begin(), families.end(), each) == families.end()) {
                families.push_back(each);
            }
        }
    }
    const auto change = [&](bool add) {
        for (const auto& [tempered, row] : families) {
            const FamilyCell at = tempered->family.cell_of(rows_.row(row));
            if (add) {
                tempered->family.add(at);
            } else {
                tempered->family.remove(at);
            }
        }
    };
    const auto write = [&](std::size_t level) {
        for (const Place& place : one.places) {
            rows_.codes[place.row * rows_.variables() + index(place.variable)] =
                static_cast<std::uint16_t>(level);
        }
    };
    const int variable = one.places[0].variable;
    const std::size_t levels = index(rows_.levels[index(variable)]);
    change(false);
    logs_.assign(levels, 0.0);
    for (std::size_t level = 0; level < levels; ++level) {
        write(level);
        for (const auto& [tempered, row] : families) {
            const FamilyCell at = tempered->family.cell_of(rows_.row(row));
            logs_[level] += tempered->exponent * tempered->family.log_predictive(at);
            tempered->family.add(at);
        }
        change(false);
        if (one.has_law) logs_[level] += rows_.laws[index(variable)][level];
    }
    write(draw_completion(random));
    change(true);
}

// A completion by the logs of its weights, which become the weights.
std::size_t CollapsedChain::draw_completion(Random& random) {
    const double top = *std::max_element(logs_.begin(), logs_.end());
    scaled_exp(logs_.data(), logs_.data(), top, logs_.size());
    return random.choose(logs_);
}

}  // namespace arcwise
