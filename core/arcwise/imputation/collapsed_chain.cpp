#include "arcwise/imputation/collapsed_chain.hpp"

#include <algorithm>
#include <utility>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }

}  // namespace

CollapsedChain::CollapsedChain(IncompleteRows rows, std::vector<CountedFamily> families,
                               std::size_t most_lines)
    : rows_(std::move(rows)),
      most_lines_(most_lines),
      logs_of_counts_(std::make_shared<LogCounts>(rows_.rows())),
      all_(rows_.variables(), 1) {
    std::vector<int> found(rows_.variables(), 0);
    for (CountedFamily& family : families) {
        ++found[index(family.node())];
        count(family);
        terms_.push_back({std::move(family), 1.0});
    }
    for (std::size_t v = 0; v < found.size(); ++v) {
        if (found[v] != (rows_.laws[v].empty() ? 1 : 0)) {
            throw Error(ErrorKind::argument, "Every variable must have either a family or a law.");
        }
    }
    list_terms();
}

const CountedFamily& CollapsedChain::family(int node) const {
    for (const Term& term : terms_) {
        if (term.family.node() == node) return term.family;
    }
    throw Error(ErrorKind::argument, "A variable with a law has no family.");
}

void CollapsedChain::count(CountedFamily& family) {
    family.look_up(*logs_of_counts_);
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
        if (rows_.counts(row, family.node())) family.add(family.cell_of(rows_.row(row)));
    }
}

void CollapsedChain::list_terms() {
    terms_of_.assign(rows_.variables(), {});
    for (std::size_t place = 0; place < terms_.size(); ++place) {
        const CountedFamily& family = terms_[place].family;
        terms_of_[index(family.node())].push_back(place);
        for (const int parent : family.parents()) terms_of_[index(parent)].push_back(place);
    }
}

void CollapsedChain::sweep(Random& random) { sweep_some(holding(all_), all_, random); }

std::vector<CollapsedChain::Draw> CollapsedChain::holding(
    const std::vector<std::uint8_t>& some) const {
    std::vector<Draw> result;
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
    const std::vector<Term> terms_before = steps > 1 ? terms_ : std::vector<Term>();
    const std::vector<std::uint16_t> codes_before =
        steps > 1 ? rows_.codes : std::vector<std::uint16_t>();
    const std::size_t old_terms = terms_.size();
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
        terms_.push_back({std::move(family), 0.0});
    }
    for (std::size_t i = 0; i < old_terms; ++i) {
        if (changed[index(terms_[i].family.node())] != 0) enter(terms_[i].family);
    }
    list_terms();
    std::vector<Draw> draws;
    Plans plans;
    if (steps > 1) {
        draws = holding(scope);
        prepare(draws, scope, plans);
    }
    double weight = log_ratio;
    for (int step = 1; step <= steps; ++step) {
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            if (changed[index(terms_[i].family.node())] == 0) continue;
            const double sign = i < old_terms ? -1.0 : 1.0;
            weight += sign * terms_[i].family.log_likelihood() / steps;
        }
        if (step == steps) break;
        const double share = static_cast<double>(step) / steps;
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            if (changed[index(terms_[i].family.node())] == 0) continue;
            terms_[i].exponent = i < old_terms ? 1.0 - share : share;
        }
        sweep_some(draws, scope, random);
    }
    const double gap = weight < 0.0 ? -weight : 0.0;
    const bool accepted = random.event(gap < farthest ? exp_of_minus(gap) : 0.0);
    if (!accepted && steps > 1) {
        terms_ = terms_before;
        rows_.codes = codes_before;
    } else if (!accepted) {
        terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(old_terms), terms_.end());
    } else {
        std::vector<Term> kept;
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            if (i < old_terms && changed[index(terms_[i].family.node())] != 0) continue;
            terms_[i].exponent = 1.0;
            kept.push_back(std::move(terms_[i]));
        }
        terms_ = std::move(kept);
    }
    list_terms();
    return accepted;
}

bool CollapsedChain::find_places(const Unknowns& unknowns, const std::vector<std::uint8_t>& some) {
    places_.clear();
    std::size_t lines = 1;
    bool many = false;
    for (const Place& place : unknowns.places) {
        if (some[index(place.variable)] == 0) continue;
        places_.push_back(place);
        lines *= index(rows_.levels[index(place.variable)]);
        many |= lines > most_lines_;
        if (many) lines = 1;
    }
    return many;
}

void CollapsedChain::prepare(std::vector<Draw>& draws, const std::vector<std::uint8_t>& some,
                             Plans& plans) {
    std::vector<int> key;
    for (Draw& draw : draws) {
        if (draw.unknowns->copied || find_places(*draw.unknowns, some)) continue;
        key.clear();
        for (const Place& place : places_) key.push_back(place.variable);
        if (!rows_.intervened.empty()) {
            // Which families count differs from row to row.
            key.push_back(-1 - static_cast<int>(places_[0].row));
        }
        auto found = plans.find(key);
        if (found == plans.end()) {
            found = plans.emplace(key, Plan()).first;
            make(found->second, places_);
        }
        draw.plan = &found->second;
    }
}

// In either direction as probably, and so with detailed balance; the parts of large rows are chosen
// before, and gone through in the same direction.
void CollapsedChain::sweep_some(std::span<const Draw> draws, const std::vector<std::uint8_t>& some,
                                Random& random) {
    const bool forward = random.event(0.5);
    const std::size_t count = draws.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Draw& draw = draws[forward ? i : count - 1 - i];
        if (draw.plan != nullptr) {
            draw_of_row(*draw.plan, draw.unknowns->places[0].row, random);
        } else if (draw.unknowns->copied) {
            draw_copied(*draw.unknowns, random);
        } else if (find_places(*draw.unknowns, some)) {
            draw_in_parts(forward, random);
        } else if (!places_.empty()) {
            make(plan_, places_);
            draw_of_row(plan_, places_[0].row, random);
        }
    }
}

void CollapsedChain::draw_in_parts(bool forward, Random& random) {
    random.shuffle(std::span<Place>(places_));
    parts_.assign(1, 0);
    std::size_t lines = 1;
    for (std::size_t place = 0; place < places_.size(); ++place) {
        const std::size_t levels = index(rows_.levels[index(places_[place].variable)]);
        lines *= levels;
        if (lines > most_lines_ && place > parts_.back()) {
            parts_.push_back(place);
            lines = levels;
        }
    }
    parts_.push_back(places_.size());
    const std::size_t parts = parts_.size() - 1;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t at = forward ? part : parts - 1 - part;
        make(plan_,
             std::span<const Place>(places_).subspan(parts_[at], parts_[at + 1] - parts_[at]));
        draw_of_row(plan_, places_[0].row, random);
    }
}

void CollapsedChain::make(Plan& plan, std::span<const Place> places) const {
    plan.variables.clear();
    plan.terms.clear();
    for (const Place& place : places) {
        plan.variables.push_back(place.variable);
        for (const std::size_t number : terms_of_[index(place.variable)]) {
            if (!rows_.counts(place.row, terms_[number].family.node())) continue;
            if (std::find(plan.terms.begin(), plan.terms.end(), number) == plan.terms.end()) {
                plan.terms.push_back(number);
            }
        }
    }
    const std::size_t terms = plan.terms.size();
    plan.steps.assign(places.size() * terms, 0);
    plan.completions = 1;
    plan.cells.assign(terms, 0);
    plan.log_laws.clear();
    const bool laws = std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return !rows_.laws[index(place.variable)].empty();
    });
    if (laws) plan.log_laws.assign(1, 0.0);
    // The first value changes fastest.
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int variable = places[i].variable;
        for (std::size_t j = 0; j < terms; ++j) {
            const CountedFamily& family = terms_[plan.terms[j]].family;
            if (family.holds(variable)) plan.steps[i * terms + j] = family.step_of(variable).cell;
        }
        const std::size_t levels = index(rows_.levels[index(variable)]);
        plan.cells.reserve(levels * plan.cells.size());
        for (std::size_t level = 1; level < levels; ++level) {
            for (std::size_t k = 0; k < plan.completions * terms; ++k) {
                plan.cells.push_back(plan.cells[k] + level * plan.steps[i * terms + k % terms]);
            }
        }
        plan.completions *= levels;
        if (!laws) continue;
        const std::vector<double>& law = rows_.laws[index(variable)];
        const std::vector<double> logs = std::exchange(plan.log_laws, {});
        for (std::size_t level = 0; level < levels; ++level) {
            for (const double log : logs) {
                plan.log_laws.push_back(law.empty() ? log : log + law[level]);
            }
        }
    }
}

// In one row every family has one cell, so that the predictive probability of a completion is the
// product over the families that hold some of it.
void CollapsedChain::draw_of_row(const Plan& plan, std::size_t row, Random& random) {
    std::uint16_t* codes = &rows_.codes[row * rows_.variables()];
    const std::size_t terms = plan.terms.size();
    touched_.resize(terms);
    for (std::size_t j = 0; j < terms; ++j) {
        Term& term = terms_[plan.terms[j]];
        const FamilyCell at = term.family.cell_of(codes);
        term.family.remove(at);
        std::size_t first = at.cell;
        for (std::size_t i = 0; i < plan.variables.size(); ++i) {
            first -= plan.steps[i * terms + j] * codes[plan.variables[i]];
        }
        touched_[j] = {term.family.log_predictives() + first, term.exponent};
    }
    logs_.clear();
    const std::size_t* cells = plan.cells.data();
    for (std::size_t line = 0; line < plan.completions; ++line, cells += terms) {
        double log = 0.0;
        for (std::size_t j = 0; j < terms; ++j) {
            log += touched_[j].exponent * touched_[j].log_predictives[cells[j]];
        }
        if (!plan.log_laws.empty()) log += plan.log_laws[line];
        logs_.push_back(log);
    }
    std::size_t line = drawn_line(random);
    for (const int variable : plan.variables) {
        const std::size_t levels = index(rows_.levels[index(variable)]);
        codes[variable] = static_cast<std::uint16_t>(line % levels);
        line /= levels;
    }
    for (const std::size_t number : plan.terms) {
        CountedFamily& family = terms_[number].family;
        family.add(family.cell_of(codes));
    }
}

// Several rows of one family depend on each other by its parameters: they are added in turn.
void CollapsedChain::draw_copied(const Unknowns& one, Random& random) {
    std::vector<std::pair<Term*, std::size_t>> families;
    for (const Place& place : one.places) {
        for (const std::size_t number : terms_of_[index(place.variable)]) {
            const std::pair<Term*, std::size_t> each{&terms_[number], place.row};
            if (rows_.counts(place.row, each.first->family.node()) &&
                std::find(families.begin(), families.end(), each) == families.end()) {
                families.push_back(each);
            }
        }
    }
    const auto change = [&](bool add) {
        for (const auto& [term, row] : families) {
            const FamilyCell at = term->family.cell_of(rows_.row(row));
            if (add) {
                term->family.add(at);
            } else {
                term->family.remove(at);
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
        for (const auto& [term, row] : families) {
            const FamilyCell at = term->family.cell_of(rows_.row(row));
            logs_[level] += term->exponent * term->family.log_predictive(at);
            term->family.add(at);
        }
        change(false);
        if (one.has_law) logs_[level] += rows_.laws[index(variable)][level];
    }
    write(drawn_line(random));
    change(true);
}

// A line by the logs of its weights, which become the weights.
std::size_t CollapsedChain::drawn_line(Random& random) {
    const double top = *std::max_element(logs_.begin(), logs_.end());
    scaled_exp(logs_.data(), logs_.data(), top, logs_.size());
    return random.choose(logs_);
}

}  // namespace arcwise
