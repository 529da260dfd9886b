// Independent DAGs from the modular posterior, layer by layer from the sources.
//
// Nodes whose parents all lie in U, but not all in the U before it, form the next layer T'. Given
// the layer before (T, so that U = U_before + T), the weight of T' being exactly that layer is
//   prod over j in T' of (alpha_j(U) - alpha_j(U_before)) / alpha_j(U)  *  E(U, T'),
//   E(U, T') = (-1)^|T'| sum over Z containing T', outside U, of (-1)^|Z| prod_Z alpha_j(U) B(U +
//   Z),
// where E sums over what the nodes beyond T' may do so that none of them belongs to T' as well.
// Then the members of T' draw parents within U that meet T.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "arcwise/exact/modular_programme.hpp"
#include "arcwise/exact/parent_sampler.hpp"
#include "arcwise/families/family_table.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

class ModularSampler {
  public:
    // Throws `numerical` if rounding may cost more than the tolerance.
    ModularSampler(const FamilyTable& weights, double tolerance, const RunOptions& options);

    int nodes() const { return sums_.nodes(); }

    // As OrderSampler::sample, without orders.
    void sample(std::uint64_t seed, std::uint64_t first, std::size_t count,
                std::span<std::uint32_t> parents, const RunOptions& options) const;

  private:
    // Whichever has digits enough.
    using Programme = std::variant<ModularProgramme<double>, ModularProgramme<long double>>;
    static Programme run(const FamilyTable& weights, double tolerance, const RunOptions& options);

    Programme programme_;
    SetSums sums_;
};

}  // namespace arcwise
