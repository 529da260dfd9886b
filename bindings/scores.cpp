// Scores of families and their scoring, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "arcwise/scores/blocks.hpp"
#include "arcwise/scores/conditional_gaussian.hpp"
#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/gaussian.hpp"
#include "arcwise/scores/set_plan.hpp"
#include "arrays.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)
NB_MAKE_OPAQUE(arcwise::PlusOneTable)

namespace arcwise::bindings {
namespace {

using Weights = std::optional<Vector<double>>;
using Mask = std::optional<Columns<std::uint8_t>>;

// A score, and the arrays of Python that it reads.
struct HeldScore {
    std::unique_ptr<const FamilyScore> score;
    std::shared_ptr<const void> arrays;

    template <class Table>
    const FamilyScore& on(const Table& table) const {
        if (table.size() != score->size()) {
            throw Error(ErrorKind::argument, "The families are of other variables than the score.");
        }
        return *score;
    }
};

template <class... Arrays>
HeldScore held(std::unique_ptr<const FamilyScore> score, const Arrays&... arrays) {
    return {std::move(score), std::make_shared<const std::tuple<Arrays...>>(arrays...)};
}

// Fills what discrete and continuous tables have in common, and checks that shapes agree.
template <class Table>
void fill_rows(Table& table, std::size_t rows, std::size_t variables, const Weights& weights,
               const Mask& intervened) {
    table.rows = rows;
    table.interventions.rows = rows;
    if (weights) table.weights = view(*weights);
    if (intervened) table.interventions.mask = view(*intervened);
    if ((weights && weights->size() != rows) ||
        (intervened && (intervened->shape(0) != rows || intervened->shape(1) != variables))) {
        throw Error(ErrorKind::argument, "Data, weights and interventions differ in shape.");
    }
}

void check_codes(std::span<const std::uint16_t> column, std::uint32_t levels) {
    for (const std::uint16_t code : column) {
        if (code >= levels) {
            throw Error(ErrorKind::argument, "A code is not below its level count.");
        }
    }
}

ContinuousTable continuous_table(const Columns<double>& values, std::vector<std::string> names,
                                 const Weights& weights, const Mask& intervened) {
    if (names.size() != values.shape(1)) {
        throw Error(ErrorKind::argument, "Every column needs a name.");
    }
    ContinuousTable table;
    table.values = view(values);
    table.names = std::move(names);
    fill_rows(table, values.shape(0), values.shape(1), weights, intervened);
    return table;
}

BgeSettings bge_settings(double alpha_mu, double alpha_w, const Vector<double>& prior_mean,
                         const Matrix<double>& prior_scale) {
    BgeSettings settings{alpha_mu, alpha_w, {}, {}};
    settings.prior_mean.assign(view(prior_mean).begin(), view(prior_mean).end());
    settings.prior_scale.assign(view(prior_scale).begin(), view(prior_scale).end());
    return settings;
}

// A function of Python, called with the node whose rows count (-1: all), parents and children.
class CalledScore final : public FamilyScore {
  public:
    CalledScore(nb::object function, std::vector<bool> intervened)
        : function_(std::move(function)), intervened_(std::move(intervened)) {}

    std::size_t size() const override { return intervened_.size(); }
    bool intervened(int node) const override { return intervened_[static_cast<std::size_t>(node)]; }
    bool concurrent() const override { return false; }
    std::unique_ptr<FamilyScorer> scorer(int node) const override {
        return std::make_unique<Scorer>(function_, node);
    }

  private:
    class Scorer final : public FamilyScorer {
      public:
        Scorer(const nb::object& function, int node) : function_(function), node_(node) {}

        void children(std::span<const int> parents, std::span<const int> children,
                      double* scores) override {
            const nb::gil_scoped_acquire hold;
            const auto found = nb::cast<std::vector<double>>(
                function_(node_, std::vector<int>(children.begin(), children.end()),
                          std::vector<int>(parents.rbegin(), parents.rend())));
            if (found.size() != children.size()) {
                throw Error(ErrorKind::argument, "Every child needs a score.");
            }
            std::copy(found.begin(), found.end(), scores);
        }

      private:
        const nb::object& function_;
        int node_;
    };

    nb::object function_;
    std::vector<bool> intervened_;
};

void bind_making(nb::module_& module) {
    module.def(
        "discrete_score",
        [](Columns<std::uint16_t> codes, std::vector<std::uint32_t> level_counts, Weights weights,
           Mask intervened, PseudoCounts pseudo_counts, double equivalent_sample_size,
           std::vector<std::vector<double>> marginals,
           std::optional<Columns<std::uint16_t>> imaginary_codes, Weights imaginary_probabilities) {
            DiscreteTable table;
            table.codes = view(codes);
            table.level_counts = std::move(level_counts);
            fill_rows(table, codes.shape(0), codes.shape(1), weights, intervened);
            if (table.level_counts.size() != codes.shape(1)) {
                throw Error(ErrorKind::argument, "Every column needs a level count.");
            }
            for (std::size_t v = 0; v < table.level_counts.size(); ++v) {
                check_codes(table.column(static_cast<int>(v)), table.level_counts[v]);
            }
            DiscreteScoreSettings settings;
            settings.pseudo_counts = pseudo_counts;
            settings.equivalent_sample_size = equivalent_sample_size;
            settings.marginals = std::move(marginals);
            if (imaginary_codes && imaginary_probabilities) {
                settings.imaginary_codes = view(*imaginary_codes);
                settings.imaginary_probabilities = view(*imaginary_probabilities);
            }
            return held(make_discrete_score(std::move(table), std::move(settings)), codes, weights,
                        intervened, imaginary_codes, imaginary_probabilities);
        },
        nb::arg("codes"), nb::arg("level_counts"), nb::arg("weights").none(),
        nb::arg("intervened").none(), nb::arg("pseudo_counts"), nb::arg("equivalent_sample_size"),
        nb::arg("marginals"), nb::arg("imaginary_codes").none(),
        nb::arg("imaginary_probabilities").none());
    module.def(
        "bge_score",
        [](Columns<double> values, std::vector<std::string> names, Weights weights, Mask intervened,
           double alpha_mu, double alpha_w, Vector<double> prior_mean, Matrix<double> prior_scale) {
            return held(
                make_bge_score(continuous_table(values, std::move(names), weights, intervened),
                               bge_settings(alpha_mu, alpha_w, prior_mean, prior_scale)),
                values, weights, intervened);
        },
        nb::arg("values"), nb::arg("names"), nb::arg("weights").none(),
        nb::arg("intervened").none(), nb::arg("alpha_mu"), nb::arg("alpha_w"),
        nb::arg("prior_mean"), nb::arg("prior_scale"));
    module.def(
        "block_score",
        [](Columns<double> values, std::vector<std::string> names, std::vector<int> starts,
           Weights weights, Mask intervened, double alpha_mu, double alpha_w,
           Vector<double> prior_mean, Matrix<double> prior_scale) {
            if (starts.empty() || starts.front() != 0 ||
                starts.back() != static_cast<int>(values.shape(1)) ||
                !std::is_sorted(starts.begin(), starts.end())) {
                throw Error(ErrorKind::argument, "Columns must belong to the variables in order.");
            }
            return held(
                make_block_score(
                    make_bge_score(continuous_table(values, std::move(names), weights, intervened),
                                   bge_settings(alpha_mu, alpha_w, prior_mean, prior_scale)),
                    std::move(starts)),
                values, weights, intervened);
        },
        nb::arg("values"), nb::arg("names"), nb::arg("starts"), nb::arg("weights").none(),
        nb::arg("intervened").none(), nb::arg("alpha_mu"), nb::arg("alpha_w"),
        nb::arg("prior_mean"), nb::arg("prior_scale"));
    module.def(
        "gaussian_bic_score",
        [](Columns<double> values, std::vector<std::string> names, Weights weights,
           Mask intervened) {
            return held(make_gaussian_bic_score(
                            continuous_table(values, std::move(names), weights, intervened)),
                        values, weights, intervened);
        },
        nb::arg("values"), nb::arg("names"), nb::arg("weights").none(),
        nb::arg("intervened").none());
    module.def(
        "conditional_gaussian_score",
        [](Columns<std::uint16_t> codes, Columns<double> values,
           std::vector<std::uint32_t> level_counts, std::vector<double> log_deviations,
           Weights weights, Mask intervened, double equivalent_sample_size, double alpha_mu,
           double degrees, double scale) {
            MixedTable table;
            table.codes = view(codes);
            table.values = view(values);
            table.level_counts = std::move(level_counts);
            table.log_deviations = std::move(log_deviations);
            fill_rows(table, codes.shape(0), codes.shape(1), weights, intervened);
            if (values.shape(0) != codes.shape(0) || values.shape(1) != codes.shape(1) ||
                table.level_counts.size() != codes.shape(1) ||
                table.log_deviations.size() != codes.shape(1)) {
                throw Error(ErrorKind::argument, "Codes and values differ in shape.");
            }
            for (std::size_t v = 0; v < table.level_counts.size(); ++v) {
                if (table.level_counts[v] == 0) continue;
                check_codes(table.codes.subspan(v * table.rows, table.rows), table.level_counts[v]);
            }
            return held(make_conditional_gaussian_score(
                            std::move(table), {equivalent_sample_size, alpha_mu, degrees, scale}),
                        codes, values, weights, intervened);
        },
        nb::arg("codes"), nb::arg("values"), nb::arg("level_counts"), nb::arg("log_deviations"),
        nb::arg("weights").none(), nb::arg("intervened").none(), nb::arg("equivalent_sample_size"),
        nb::arg("alpha_mu"), nb::arg("degrees"), nb::arg("scale"));
    module.def(
        "called_score",
        [](nb::object function, std::vector<bool> intervened) {
            return held(std::make_unique<CalledScore>(std::move(function), std::move(intervened)));
        },
        nb::arg("function"), nb::arg("intervened"));
}

template <class Table>
void score_table(const HeldScore& self, Table& table, int threads, nb::object progress) {
    const FamilyScore& score = self.on(table);
    run_released(threads, std::move(progress),
                 [&](const RunOptions& options) { score_families(score, table, options); });
}

void check_units(const ScoringPlan& plan, std::size_t first, std::size_t count) {
    if (first > plan.units() || count > plan.units() - first) {
        throw Error(ErrorKind::argument, "There are no such units.");
    }
}

void bind_plans(nb::module_& module) {
    nb::class_<HeldScore>(module, "FamilyScore")
        .def("score", &score_table<FamilyTable>, nb::arg("table"), nb::arg("threads"),
             nb::arg("progress").none())
        .def("score", &score_table<PlusOneTable>, nb::arg("table"), nb::arg("threads"),
             nb::arg("progress").none())
        .def(
            "plan",
            [](const HeldScore& self, const FamilyTable& table) {
                return self.on(table).plan(parent_sets_of(table)).release();
            },
            nb::rv_policy::take_ownership, nb::arg("table"), nb::keep_alive<0, 1>(),
            nb::keep_alive<0, 2>());
    nb::class_<ScoringPlan>(module, "ScoringPlan")
        .def("__len__", &ScoringPlan::units)
        .def(
            "values",
            [](const ScoringPlan& self, std::size_t first, std::size_t count) {
                check_units(self, first, count);
                return self.values(first, count);
            },
            nb::arg("first"), nb::arg("count"))
        .def_prop_ro("work", &ScoringPlan::work)
        .def(
            "score",
            [](const ScoringPlan& self, std::size_t first, std::size_t count, int threads,
               nb::object progress) {
                check_units(self, first, count);
                return copied(run_released(
                    threads, std::move(progress),
                    [&](const RunOptions& options) { return self.score(first, count, options); }));
            },
            nb::arg("first"), nb::arg("count"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "put",
            [](ScoringPlan& self, std::size_t first, std::size_t count, Vector<double> values,
               FamilyTable& table) {
                check_units(self, first, count);
                if (values.size() != self.values(first, count)) {
                    throw Error(ErrorKind::argument, "These are not the values of the units.");
                }
                self.put(first, view(values), values_of(table));
            },
            nb::arg("first"), nb::arg("count"), nb::arg("values"), nb::arg("table"))
        .def(
            "finish",
            [](ScoringPlan& self, FamilyTable& table, int threads) {
                run_released(threads, nb::none(), [&](const RunOptions& options) {
                    self.finish(values_of(table), options);
                });
            },
            nb::arg("table"), nb::arg("threads"));
    nb::class_<SetPlan, ScoringPlan>(module, "SetPlan")
        .def_prop_ro("alone", &SetPlan::alone)
        .def_prop_ro("largest_set", &SetPlan::largest_set)
        .def(
            "take_differences",
            [](const SetPlan& self, Vector<double> set_values, FamilyTable& table, int threads) {
                run_released(threads, nb::none(), [&](const RunOptions& options) {
                    self.take_differences(view(set_values), values_of(table), options);
                });
            },
            nb::arg("set_values"), nb::arg("table"), nb::arg("threads"));
}

}  // namespace

void bind_scores(nb::module_& module) {
    nb::enum_<PseudoCounts>(module, "PseudoCounts")
        .value("none", PseudoCounts::none)
        .value("uniform", PseudoCounts::uniform)
        .value("marginals", PseudoCounts::marginals)
        .value("joint", PseudoCounts::joint);
    bind_plans(module);
    bind_making(module);
}

}  // namespace arcwise::bindings
