// Scoring of families, seen from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "arcwise/scores/blocks.hpp"
#include "arcwise/scores/conditional_gaussian.hpp"
#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/gaussian.hpp"
#include "arcwise/scores/score_families.hpp"
#include "arrays.hpp"
#include "gate.hpp"

NB_MAKE_OPAQUE(arcwise::FamilyTable)
NB_MAKE_OPAQUE(arcwise::PlusOneTable)

namespace arcwise::bindings {
namespace {

using Weights = std::optional<Vector<double>>;
using Mask = std::optional<Columns<std::uint8_t>>;

// Fills what discrete and continuous tables have in common, and checks that shapes agree.
template <class Table, class Families>
void fill_rows(Table& table, std::size_t rows, std::size_t variables, const Families& families,
               const Weights& weights, const Mask& intervened) {
    table.rows = rows;
    table.interventions.rows = rows;
    if (weights) table.weights = view(*weights);
    if (intervened) table.interventions.mask = view(*intervened);
    if (variables != families.size() || (weights && weights->size() != rows) ||
        (intervened && (intervened->shape(0) != rows || intervened->shape(1) != variables))) {
        throw Error(ErrorKind::argument, "Data, weights and interventions differ in shape.");
    }
}

template <class Families>
void run(const SetFunction& score, Families& table, int threads, nb::object progress) {
    run_released(threads, std::move(progress),
                 [&](const RunOptions& options) { score_families(score, table, options); });
}

// The scores for one kind of table; a score in Python hands on whichever it is given.
template <class Families>
void bind_scores_of(nb::module_& module) {
    module.def(
        "score_discrete",
        [](Families& families, Columns<std::uint16_t> codes,
           std::vector<std::uint32_t> level_counts, Weights weights, Mask intervened,
           PseudoCounts pseudo_counts, double equivalent_sample_size,
           std::vector<std::vector<double>> marginals,
           std::optional<Columns<std::uint16_t>> imaginary_codes, Weights imaginary_probabilities,
           int threads, nb::object progress) {
            DiscreteTable table;
            table.codes = view(codes);
            table.level_counts = std::move(level_counts);
            fill_rows(table, codes.shape(0), codes.shape(1), families, weights, intervened);
            for (std::size_t v = 0; v < families.size(); ++v) {
                for (const std::uint16_t code : table.column(static_cast<int>(v))) {
                    if (code >= table.level_counts.at(v)) {
                        throw Error(ErrorKind::argument, "A code is not below its level count.");
                    }
                }
            }
            DiscreteScoreSettings settings;
            settings.pseudo_counts = pseudo_counts;
            settings.equivalent_sample_size = equivalent_sample_size;
            settings.marginals = std::move(marginals);
            if (imaginary_codes && imaginary_probabilities) {
                settings.imaginary_codes = view(*imaginary_codes);
                settings.imaginary_probabilities = view(*imaginary_probabilities);
            }
            run(*make_discrete_score(std::move(table), std::move(settings)), families, threads,
                std::move(progress));
        },
        nb::arg("families"), nb::arg("codes"), nb::arg("level_counts"), nb::arg("weights").none(),
        nb::arg("intervened").none(), nb::arg("pseudo_counts"), nb::arg("equivalent_sample_size"),
        nb::arg("marginals"), nb::arg("imaginary_codes").none(),
        nb::arg("imaginary_probabilities").none(), nb::arg("threads"), nb::arg("progress").none());

    const auto continuous_table = [](const Families& families, const Columns<double>& values,
                                     std::vector<std::string> names, const Weights& weights,
                                     const Mask& intervened) {
        ContinuousTable table;
        table.values = view(values);
        table.names = std::move(names);
        fill_rows(table, values.shape(0), values.shape(1), families, weights, intervened);
        return table;
    };
    module.def(
        "score_bge",
        [continuous_table](Families& families, Columns<double> values,
                           std::vector<std::string> names, Weights weights, Mask intervened,
                           double alpha_mu, double alpha_w, Vector<double> prior_mean,
                           Matrix<double> prior_scale, int threads, nb::object progress) {
            BgeSettings settings{alpha_mu, alpha_w, {}, {}};
            settings.prior_mean.assign(view(prior_mean).begin(), view(prior_mean).end());
            settings.prior_scale.assign(view(prior_scale).begin(), view(prior_scale).end());
            run(*make_bge_score(
                    continuous_table(families, values, std::move(names), weights, intervened),
                    std::move(settings)),
                families, threads, std::move(progress));
        },
        nb::arg("families"), nb::arg("values"), nb::arg("names"), nb::arg("weights").none(),
        nb::arg("intervened").none(), nb::arg("alpha_mu"), nb::arg("alpha_w"),
        nb::arg("prior_mean"), nb::arg("prior_scale"), nb::arg("threads"),
        nb::arg("progress").none());
    module.def(
        "score_blocks",
        [](Families& families, Columns<double> values, std::vector<std::string> names,
           std::vector<int> starts, Weights weights, Mask intervened, double alpha_mu,
           double alpha_w, Vector<double> prior_mean, Matrix<double> prior_scale, int threads,
           nb::object progress) {
            ContinuousTable table;
            table.values = view(values);
            table.names = std::move(names);
            fill_rows(table, values.shape(0), values.shape(1), table.names, weights, intervened);
            if (starts.size() != families.size() + 1 || starts.front() != 0 ||
                starts.back() != static_cast<int>(values.shape(1)) ||
                !std::is_sorted(starts.begin(), starts.end())) {
                throw Error(ErrorKind::argument, "Columns must belong to the variables in order.");
            }
            BgeSettings settings{alpha_mu, alpha_w, {}, {}};
            settings.prior_mean.assign(view(prior_mean).begin(), view(prior_mean).end());
            settings.prior_scale.assign(view(prior_scale).begin(), view(prior_scale).end());
            run(*make_block_score(make_bge_score(std::move(table), std::move(settings)),
                                  std::move(starts)),
                families, threads, std::move(progress));
        },
        nb::arg("families"), nb::arg("values"), nb::arg("names"), nb::arg("starts"),
        nb::arg("weights").none(), nb::arg("intervened").none(), nb::arg("alpha_mu"),
        nb::arg("alpha_w"), nb::arg("prior_mean"), nb::arg("prior_scale"), nb::arg("threads"),
        nb::arg("progress").none());
    module.def(
        "score_gaussian_bic",
        [continuous_table](Families& families, Columns<double> values,
                           std::vector<std::string> names, Weights weights, Mask intervened,
                           int threads, nb::object progress) {
            run(*make_gaussian_bic_score(
                    continuous_table(families, values, std::move(names), weights, intervened)),
                families, threads, std::move(progress));
        },
        nb::arg("families"), nb::arg("values"), nb::arg("names"), nb::arg("weights").none(),
        nb::arg("intervened").none(), nb::arg("threads"), nb::arg("progress").none());
    module.def(
        "score_conditional_gaussian",
        [](Families& families, Columns<std::uint16_t> codes, Columns<double> values,
           std::vector<std::uint32_t> level_counts, std::vector<double> log_deviations,
           Weights weights, Mask intervened, double equivalent_sample_size, double alpha_mu,
           double degrees, double scale, int threads, nb::object progress) {
            MixedTable table;
            table.codes = view(codes);
            table.values = view(values);
            table.level_counts = std::move(level_counts);
            table.log_deviations = std::move(log_deviations);
            fill_rows(table, codes.shape(0), codes.shape(1), families, weights, intervened);
            if (values.shape(0) != codes.shape(0) || values.shape(1) != codes.shape(1) ||
                table.level_counts.size() != families.size() ||
                table.log_deviations.size() != families.size()) {
                throw Error(ErrorKind::argument, "Codes and values differ in shape.");
            }
            for (std::size_t v = 0; v < families.size(); ++v) {
                if (table.level_counts[v] == 0) continue;
                for (const std::uint16_t code : table.codes.subspan(v * table.rows, table.rows)) {
                    if (code >= table.level_counts[v]) {
                        throw Error(ErrorKind::argument, "A code is not below its level count.");
                    }
                }
            }
            run(*make_conditional_gaussian_score(
                    std::move(table), {equivalent_sample_size, alpha_mu, degrees, scale}),
                families, threads, std::move(progress));
        },
        nb::arg("families"), nb::arg("codes"), nb::arg("values"), nb::arg("level_counts"),
        nb::arg("log_deviations"), nb::arg("weights").none(), nb::arg("intervened").none(),
        nb::arg("equivalent_sample_size"), nb::arg("alpha_mu"), nb::arg("degrees"),
        nb::arg("scale"), nb::arg("threads"), nb::arg("progress").none());
}

void bind_parts(nb::module_& module) {
    nb::class_<ScoringPlan>(module, "ScoringPlan")
        .def(
            "__init__",
            [](ScoringPlan* self, const FamilyTable& table, Vector<std::uint8_t> intervened,
               Vector<std::uint8_t> pushed_first) {
                if (intervened.size() != table.size() || pushed_first.size() != table.size()) {
                    throw Error(ErrorKind::argument,
                                "Every node is intervened on or not, and pushed first or not.");
                }
                new (self) ScoringPlan(plan_scoring(table, view(intervened), view(pushed_first)));
            },
            nb::arg("table"), nb::arg("intervened"), nb::arg("pushed_first"))
        .def_ro("sharing", &ScoringPlan::sharing)
        .def_ro("alone", &ScoringPlan::alone)
        .def_ro("largest_set", &ScoringPlan::largest_set)
        .def(
            "take_differences",
            [](const ScoringPlan& self, Vector<double> set_values, FamilyTable& table, int threads,
               nb::object progress) {
                run_released(threads, std::move(progress), [&](const RunOptions& options) {
                    take_differences(self, view(set_values), table, options);
                });
            },
            nb::arg("set_values"), nb::arg("table"), nb::arg("threads"),
            nb::arg("progress").none());
    module.def("set_pieces", &set_pieces, nb::arg("nodes"), nb::arg("largest_set"));
    nb::class_<SetBlock>(module, "SetBlock")
        .def(nb::init<int, int, std::size_t, std::size_t>(), nb::arg("nodes"),
             nb::arg("largest_set"), nb::arg("first_piece"), nb::arg("last_piece"))
        .def("values", [](const SetBlock& self) { return copied(self.values); });
}

}  // namespace

void bind_scores(nb::module_& module) {
    nb::enum_<PseudoCounts>(module, "PseudoCounts")
        .value("none", PseudoCounts::none)
        .value("uniform", PseudoCounts::uniform)
        .value("marginals", PseudoCounts::marginals)
        .value("joint", PseudoCounts::joint);

    bind_scores_of<FamilyTable>(module);
    bind_scores_of<PlusOneTable>(module);
    bind_scores_of<LoneTable>(module);
    bind_scores_of<SetBlock>(module);
    bind_parts(module);
}

}  // namespace arcwise::bindings
