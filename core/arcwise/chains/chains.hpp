// Several chains of the same space, each with random numbers of its own, on several threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arcwise/chains/tempering.hpp"

namespace arcwise {

// Where there are more threads than chains, the temperatures of each share some of them.
class Chains {
  public:
    // Chains number first, first + 1, ..; chain i takes the random streams 2 i and 2 i + 1, so it
    // does not depend on who makes it.
    Chains(std::shared_ptr<const Space> space, const TemperingOptions& options, std::uint64_t seed,
           std::uint64_t first, std::size_t count);
    Chains(const Chains&) = delete;
    Chains& operator=(const Chains&) = delete;

    const Space& space() const { return *space_; }
    std::size_t size() const { return chains_.size(); }
    const TemperedChain& chain(std::size_t index) const { return *chains_.at(index); }

    // Where each begins, and its burn-in.
    void start(std::uint64_t burn_in, const RunOptions& options);

    void burn_in(std::uint64_t steps, const RunOptions& options);

    // So many draws more of each, one every `thinning` steps.
    void sample(std::uint64_t draws, const RunOptions& options);
    void set_thinning(std::uint64_t thinning);
    void clear_draws(std::size_t index) { chains_.at(index)->clear_draws(); }

    // All that the further path of the chains depends on, to the last bit, for chains made alike to
    // go on from; of all, and of one as if it were alone.
    std::vector<unsigned char> save() const { return save_some(chains_); }
    void restore(std::span<const unsigned char> bytes) { restore_some(chains_, bytes); }
    std::vector<unsigned char> save_chain(std::size_t index) const {
        return save_some(only(index));
    }
    void restore_chain(std::size_t index, std::span<const unsigned char> bytes) {
        restore_some(only(index), bytes);
    }

  private:
    using Some = std::span<const std::unique_ptr<TemperedChain>>;

    template <class Work>
    void run(std::uint64_t steps, const RunOptions& options, Work work);
    Some only(std::size_t index) const {
        chain(index);  // throws if there is none
        return Some(chains_).subspan(index, 1);
    }
    std::vector<unsigned char> save_some(Some chains) const;
    void restore_some(Some chains, std::span<const unsigned char> bytes);

    std::shared_ptr<const Space> space_;
    std::vector<std::unique_ptr<TemperedChain>> chains_;
    std::uint64_t thinning_;
};

}  // namespace arcwise
