// Chains side by side, and their states as bytes.
#include "arcwise/chains/chains.hpp"

#include <algorithm>
#include <string_view>

#include "arcwise/support/bytes.hpp"
#include "arcwise/support/crew.hpp"

namespace arcwise {
namespace {

constexpr std::string_view state_name = "arcwise chains";
constexpr std::uint32_t state_version = 4;

}  // namespace

Chains::Chains(std::shared_ptr<const Space> space, const TemperingOptions& options,
               std::uint64_t seed, std::uint64_t first, std::size_t count)
    : space_(std::move(space)), thinning_(options.thinning) {
    TemperingOptions others = options;
    others.first_dag.clear();
    for (std::uint64_t chain = first; chain < first + count; ++chain) {
        chains_.push_back(std::make_unique<TemperedChain>(*space_, chain == 0 ? options : others,
                                                          Random(seed, 2 * chain),
                                                          Random(seed, 2 * chain + 1)));
    }
}

// Calls work(chain, context, crew) for each chain, which makes `steps` steps.
template <class Work>
void Chains::run(std::uint64_t steps, const RunOptions& options, Work work) {
    const std::size_t count = chains_.size();
    const auto threads = static_cast<std::size_t>(std::max(1, options.threads()));
    run_tasks(count, count * steps, options, [&](std::size_t i, TaskContext& context) {
        TemperedChain& chain = *chains_[i];
        const std::size_t own = threads / count + (i < threads % count ? 1 : 0);
        if (own < 2 || chain.levels() < 2) {
            work(chain, context, nullptr);
        } else {
            Crew crew(static_cast<int>(std::min(own, chain.levels())));
            work(chain, context, &crew);
        }
    });
}

void Chains::start(std::uint64_t burn_in, const RunOptions& options) {
    run(burn_in, options, [&](TemperedChain& chain, TaskContext& context, Crew* crew) {
        chain.start(context);
        chain.burn_in(burn_in, context, crew);
    });
}

void Chains::burn_in(std::uint64_t steps, const RunOptions& options) {
    run(steps, options, [&](TemperedChain& chain, TaskContext& context, Crew* crew) {
        chain.burn_in(steps, context, crew);
    });
}

void Chains::sample(std::uint64_t draws, const RunOptions& options) {
    run(draws * thinning_, options, [&](TemperedChain& chain, TaskContext& context, Crew* crew) {
        chain.sample(draws, context, crew);
    });
}

void Chains::set_thinning(std::uint64_t thinning) {
    thinning_ = thinning;
    for (const auto& chain : chains_) chain->set_thinning(thinning);
}

std::vector<unsigned char> Chains::save_some(Some chains) const {
    ByteWriter out;
    out.put(std::uint64_t{chains.size()});
    out.put(thinning_);
    for (const auto& chain : chains) chain->save(out);
    return out.sealed(state_name, state_version);
}

void Chains::restore_some(Some chains, std::span<const unsigned char> bytes) {
    ByteReader in(bytes, state_name, state_version);
    if (in.get<std::uint64_t>() != chains.size()) ByteReader::damaged();
    thinning_ = in.get<std::uint64_t>();
    for (const auto& chain : chains) chain->restore(in);
    in.finish();
}

}  // namespace arcwise
