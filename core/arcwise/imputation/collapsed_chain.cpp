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

std::vector<const Unknowns*> CollapsedChain::holding(const std::vector<std::uint8_t>& some) const {
    std::vector<const Unknowns*> result;
    for (const Unknowns& unknowns : rows_.unknowns) {
        if (std::any_of(unknowns.places.begin(), unknowns.places.end(),
                        [&](const Place& place) { return some[index(place.variable)] != 0; })) {
            result.push_back(&unknowns);
        }
    }
    return result;
}

bool CollapsedChain::move(std::vector<CountedFamily> proposed, double log_ratio, int steps,
                          Random& random) {
    if (steps < 1) throw Error(ErrorKind::argument, "A move has one step or more.");
    const std::vector<Term> terms_before = terms_;
    const std::vector<std::uint16_t> codes_before = rows_.codes;
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
    const std::vector<const Unknowns*> unknowns = holding(scope);
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
        sweep_some(unknowns, scope, random);
    }
    const double gap = weight < 0.0 ? -weight : 0.0;
    const bool accepted = random.event(gap < farthest ? exp_of_minus(gap) : 0.0);
    if (!accepted) {
        terms_ = terms_before;
        rows_.codes = codes_before;
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

// In either direction as probably, and so with detailed balance; the parts of large rows are chosen
// before, and gone through in the same direction.
void CollapsedChain::sweep_some(std::span<const Unknowns* const> of_rows,
                                const std::vector<std::uint8_t>& some, Random& random) {
    const bool forward = random.event(0.5);
    const std::size_t count = of_rows.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Unknowns& unknowns = *of_rows[forward ? i : count - 1 - i];
        if (unknowns.copied) {
            draw_copied(unknowns, random);
            continue;
        }
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
        if (places_.empty()) continue;
        if (!many) {
            draw_of_row(places_, random);
            continue;
        }
        random.shuffle(std::span<Place>(places_));
        parts_.assign(1, 0);
        lines = 1;
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
            draw_of_row(
                std::span<const Place>(places_).subspan(parts_[at], parts_[at + 1] - parts_[at]),
                random);
        }
    }
}

// In one row every family has one cell, so that the predictive probability of a completion is the
// product over the families that hold some of it.
void CollapsedChain::draw_of_row(std::span<const Place> places, Random& random) {
    const std::size_t row = places[0].row;
    std::uint16_t* codes = &rows_.codes[row * rows_.variables()];
    touched_.clear();
    for (const Place& place : places) {
        for (const std::size_t number : terms_of_[index(place.variable)]) {
            Term& term = terms_[number];
            if (!rows_.counts(row, term.family.node())) continue;
            if (std::any_of(touched_.begin(), touched_.end(),
                            [&](const Touched& other) { return other.term == &term; })) {
                continue;
            }
            touched_.push_back({&term, term.family.cell_of(codes)});
        }
    }
    for (const Touched& each : touched_) each.term->family.remove(each.at);
    for (const Place& place : places) codes[place.variable] = 0;
    for (Touched& each : touched_) each.at = each.term->family.cell_of(codes);
    steps_.assign(places.size() * touched_.size(), {});
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = 0; j < touched_.size(); ++j) {
            const CountedFamily& family = touched_[j].term->family;
            if (family.holds(places[i].variable)) {
                steps_[i * touched_.size() + j] = family.step_of(places[i].variable);
            }
        }
    }
    digits_.assign(places.size(), 0);
    logs_.clear();
    while (true) {
        double log = 0.0;
        for (const Touched& each : touched_) {
            log += each.term->exponent * each.term->family.log_predictive(each.at);
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::vector<double>& law = rows_.laws[index(places[i].variable)];
            if (!law.empty()) log += law[index(digits_[i])];
        }
        logs_.push_back(log);
        // On to the next completion, the first value changing fastest.
        std::size_t i = 0;
        for (; i < places.size(); ++i) {
            const int levels = rows_.levels[index(places[i].variable)];
            const bool over = ++digits_[i] == levels;
            for (std::size_t j = 0; j < touched_.size(); ++j) {
                const FamilyCell step = steps_[i * touched_.size() + j];
                if (over) {
                    touched_[j].at.cell -= step.cell * index(levels - 1);
                    touched_[j].at.configuration -= step.configuration * index(levels - 1);
                } else {
                    touched_[j].at.cell += step.cell;
                    touched_[j].at.configuration += step.configuration;
                }
            }
            if (!over) break;
            digits_[i] = 0;
        }
        if (i == places.size()) break;
    }
    std::size_t line = drawn_line(random);
    for (const Place& place : places) {
        const std::size_t levels = index(rows_.levels[index(place.variable)]);
        codes[place.variable] = static_cast<std::uint16_t>(line % levels);
        line /= levels;
    }
    for (const Touched& each : touched_) each.term->family.add(each.term->family.cell_of(codes));
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
