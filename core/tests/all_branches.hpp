// A script that takes every branch of a random computation, depth first: so its exact law is
// tabulated by the very code that draws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

class AllBranches final : public Random::Script {
  public:
    // Sequences no more probable than `least` are left out, as far as they can be told by then.
    explicit AllBranches(double least = 0.0) : least_(least) {}

    // Calls run() once for every sequence of choices; probability() is that of the present one.
    template <class Run>
    void for_each(Run run) {
        do {
            depth_ = 0;
            probability_ = 1.0;
            run();
        } while (advance());
    }

    double probability() const { return probability_; }

    // What is chosen from is looked at only where the sequence leaves those before it.
    std::uint64_t one_of(std::uint64_t count) override {
        if (depth_ == known_) next_shares().assign(count, 1.0 / static_cast<double>(count));
        return take();
    }

    std::size_t choose(std::span<const double> weights) override {
        if (depth_ == known_) {
            const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
            std::vector<double>& shares = next_shares();
            shares.assign(weights.begin(), weights.end());
            for (double& share : shares) share /= total;
        }
        return take();
    }

    bool event(double probability) override {
        if (depth_ == known_) next_shares().assign({probability, 1.0 - probability});
        return take() == 0;
    }

  private:
    struct Branching {
        std::vector<double> shares;
        std::size_t taken = 0;
    };

    // The memory of choices that are done with is used again.
    std::vector<double>& next_shares() {
        if (known_ == path_.size()) path_.emplace_back();
        return path_[known_].shares;
    }

    std::size_t take() {
        Branching& here = path_[depth_];
        if (depth_ == known_) {
            leave_out_least(here.shares);
            here.taken = 0;
            ++known_;
        }
        ++depth_;
        while (here.shares[here.taken] <= 0.0) ++here.taken;
        probability_ *= here.shares[here.taken];
        return here.taken;
    }

    // All but the most probable one, if it must be.
    void leave_out_least(std::vector<double>& shares) const {
        const auto most = std::max_element(shares.begin(), shares.end());
        for (auto share = shares.begin(); share != shares.end(); ++share) {
            if (share != most && probability_ * *share <= least_) *share = 0.0;
        }
    }

    // On to the next sequence: the deepest choice that has one left takes it.
    bool advance() {
        known_ = depth_;
        while (known_ > 0) {
            Branching& last = path_[known_ - 1];
            do {
                ++last.taken;
            } while (last.taken < last.shares.size() && last.shares[last.taken] <= 0.0);
            if (last.taken < last.shares.size()) return true;
            --known_;
        }
        return false;
    }

    double least_;
    std::vector<Branching> path_;
    std::size_t known_ = 0;  // of the path: the choices this sequence has in common with the last
    std::size_t depth_ = 0;
    double probability_ = 1.0;
};

}  // namespace arcwise
