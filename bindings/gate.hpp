// The gate between the core and Python: errors out, interruption and progress in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <exception>
#include <span>
#include <string>

#include "arcwise/support/error.hpp"
#include "arcwise/support/tasks.hpp"

namespace nb = nanobind;

namespace arcwise::bindings {

// Makes every arcwise::Error leave as the class of arcwise.errors that belongs to its kind.
void register_errors();

// Looks for Ctrl-C and calls the progress function, if there is one, with the share done.
class PythonMonitor final : public Monitor {
  public:
    explicit PythonMonitor(nb::object progress) : progress_(std::move(progress)) {}

    bool proceed(double fraction_done) override;

    // Throws again what a signal handler or the progress function raised.
    void rethrow() const {
        if (raised_) std::rethrow_exception(raised_);
    }

  private:
    nb::object progress_;
    std::exception_ptr raised_;
};

// Runs work(options) with the interpreter lock released and a monitor watching.
template <class Work>
auto run_released(Processors device, nb::object progress, Work&& work) {
    PythonMonitor monitor(std::move(progress));
    try {
        const nb::gil_scoped_release release;
        return work(RunOptions{device, &monitor});
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) monitor.rethrow();
        throw;
    }
}

template <class Work>
auto run_released(int threads, nb::object progress, Work&& work) {
    return run_released(Processors{threads}, std::move(progress), std::forward<Work>(work));
}

template <class T>
using Array = nb::ndarray<const T, nb::numpy, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Writable = nb::ndarray<double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Columns = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class T, class... Traits>
std::span<const T> view(const nb::ndarray<const T, Traits...>& array) {
    return {array.data(), array.size()};
}

void bind_families(nb::module_& module);
void bind_folded_families(nb::module_& module);
void bind_scores(nb::module_& module);
void bind_sums(nb::module_& module);
void bind_files(nb::module_& module);
void bind_support(nb::module_& module);
void bind_linear_extensions(nb::module_& module);
void bind_relations(nb::module_& module);
void bind_exact(nb::module_& module);
void bind_spaces(nb::module_& module);
void bind_chains(nb::module_& module);
void bind_candidates(nb::module_& module);
void bind_search(nb::module_& module);
void bind_imputation(nb::module_& module);

}  // namespace arcwise::bindings
