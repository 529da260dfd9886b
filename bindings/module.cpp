// The Python extension module arcwise._core: thin wrappers, one file for each room of the core.
#include "gate.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The C++ core of arcwise; not public, use the package instead.";
    module.attr("version") = ARCWISE_VERSION;
    // Objects a user still holds when Python ends are no leaks, and no reason to print.
    nb::set_leak_warnings(false);
    arcwise::bindings::register_errors();
    arcwise::bindings::bind_support(module);
    arcwise::bindings::bind_families(module);
    arcwise::bindings::bind_folded_families(module);
    arcwise::bindings::bind_scores(module);
    arcwise::bindings::bind_sums(module);
    arcwise::bindings::bind_files(module);
    arcwise::bindings::bind_linear_extensions(module);
    arcwise::bindings::bind_relations(module);
    arcwise::bindings::bind_exact(module);
    arcwise::bindings::bind_spaces(module);
    arcwise::bindings::bind_chains(module);
    arcwise::bindings::bind_candidates(module);
    arcwise::bindings::bind_search(module);
    arcwise::bindings::bind_imputation(module);
}
