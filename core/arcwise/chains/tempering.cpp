// Moving states, exchanging them between temperatures, and spreading the temperatures.
#include "arcwise/chains/tempering.hpp"

#include <algorithm>

#include "arcwise/spaces/orders/some_dag.hpp"
#include "arcwise/support/crew.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Steps between two looks at whether to stop.
constexpr std::uint64_t steps_between_checks = 16;

// Sweeps before temperatures first adapt; then as many as all before, from better ones.
constexpr std::uint64_t first_sweeps_to_adapt = 64;

// Looks at what moves bring before shares first adapt; then twice as many.
constexpr std::uint64_t first_looks_to_adapt = 128;

// The size of one of `parts` nearly equal parts of a total, which may be too large to be
// multiplied.
std::uint64_t part_of(std::uint64_t total, std::uint64_t part, std::uint64_t parts) {
    return total / parts + (part < total % parts ? 1 : 0);
}

}  // namespace

TemperedChain::TemperedChain(const Space& space, const TemperingOptions& options, Random moves,
                             Random draws)
    : space_(space),
      options_(options),
      draw_random_(draws),
      replicas_(space, options.temperatures, moves),
      counter_(options.record.extension_budget),
      record_(space.nodes(), options.record),
      ratios_(options.temperatures.size() - 1),
      sweeps_to_adapt_(first_sweeps_to_adapt),
      learns_shares_(options.adapt_moves && options.temperatures.size() == 1),
      looks_to_adapt_(first_looks_to_adapt) {}

void TemperedChain::forget_counts() {
    replicas_.forget_counts();
    ratios_.assign(replicas_.levels() - 1, {});
}

void TemperedChain::start(TaskContext& context) {
    for (std::size_t level = 0; level < replicas_.levels(); ++level) {
        State& state = replicas_.state(level);
        Random& random = replicas_.random(level);
        const bool possible = replicas_.temperature(level).excludes_zero_weights();
        if (possible && !options_.first_dag.empty() &&
            state.start_at(known_dag(options_.first_dag, space_.nodes())) &&
            state.log_weight().zero_factors == 0) {
            continue;
        }
        if (possible && options_.order_steps > 0 &&
            state.start_from_orders(options_.order_steps, random, &context)) {
            continue;
        }
        state.draw_uniform(random);
        if (possible) settle(state, random);
    }
}

void TemperedChain::prepare(State& state, TaskContext& context) const {
    const Tuner* tuner = (with_shares_ == nullptr ? space_ : *with_shares_).tuner();
    if (tuner != nullptr) tuner->prepare(state, options_.order_steps, &context);
}

// States are prepared before the first steps of the object, as a restored chain was not started by
// it, and whenever there are new ones.
void TemperedChain::prepare_all(TaskContext& context) {
    if (prepared_ == replicas_.levels()) return;
    for (std::size_t level = 0; level < replicas_.levels(); ++level) {
        prepare(replicas_.state(level), context);
    }
    prepared_ = replicas_.levels();
}

// What comes after a step of the coldest level is called within its turn, so that others need not
// wait for it.
template <class AfterStep>
void TemperedChain::advance(std::uint64_t steps, TaskContext& context, Crew* crew,
                            AfterStep after_step, bool sampled) {
    prepare_all(context);
    const std::size_t coldest = replicas_.coldest();
    while (steps > 0) {
        if (sweep_is_over()) {
            if (sampled) add_ratios();
            exchange();
        }
        const std::uint64_t length =
            coldest == 0 ? steps
                         : std::min(steps, options_.steps_between_exchanges - steps_in_sweep_);
        const auto move = [&](std::size_t level) {
            const bool counts = level == coldest;
            for (std::uint64_t left = length; left > 0;) {
                const std::uint64_t piece = std::min(left, steps_between_checks);
                for (std::uint64_t i = 0; i < piece; ++i) {
                    const StepOutcome outcome = replicas_.step(level);
                    if (counts) after_step(outcome);
                }
                context.advance(counts ? piece : 0);
                left -= piece;
            }
        };
        // The coldest has more to do and goes first.
        if (crew != nullptr) {
            crew->run(coldest + 1, [&](std::size_t turn) { move(coldest - turn); });
        } else {
            for (std::size_t turn = 0; turn <= coldest; ++turn) move(coldest - turn);
        }
        steps -= length;
        if (coldest > 0) steps_in_sweep_ += length;
    }
}

void TemperedChain::exchange() {
    steps_in_sweep_ = 0;
    replicas_.exchange();
}

void TemperedChain::step() {
    if (sweep_is_over()) exchange();
    for (std::size_t level = replicas_.levels(); level-- > 0;) replicas_.step(level);
    if (replicas_.levels() > 1) ++steps_in_sweep_;
}

void TemperedChain::burn_in(std::uint64_t steps, TaskContext& context, Crew* crew) {
    const bool adapts = options_.adapt && replicas_.levels() > 1;
    while (steps > 0) {
        std::uint64_t length = steps;
        if (adapts) {
            if (sweep_is_over()) exchange();
            if (replicas_.exchanges_since_spread() >= sweeps_to_adapt_) adapt();
            length = std::min(steps, options_.steps_between_exchanges - steps_in_sweep_);
        }
        if (learns_shares_) {
            begin_credits(context);
            const auto count = [&](const StepOutcome& step) { count_credit(step, context); };
            advance(length, context, crew, count, false);
        } else {
            advance(length, context, crew, [](const StepOutcome&) {}, false);
        }
        steps -= length;
    }
    forget_counts();
}

void TemperedChain::adapt() {
    replicas_.spread(
        adapted(replicas_.temperatures(), replicas_.refusal_rates(), options_.most_temperatures));
    forget_counts();
    sweeps_to_adapt_ *= 2;
}

void TemperedChain::make_credits(TaskContext* context) {
    const Tuner* tuner = space_.tuner();
    UsualMoves usual = tuner == nullptr ? space_.moves().usual()
                                        : tuner->usual_moves(options_.order_steps, context);
    credits_.emplace(space_.moves(), std::move(usual.shares), std::move(usual.work),
                     space_.nodes());
}

void TemperedChain::begin_credits(TaskContext& context) {
    if (credits_) return;
    make_credits(&context);
    take_shares(credits_->first_shares());
    credits_->begin(replicas_.state(0));
}

void TemperedChain::count_credit(const StepOutcome& step, TaskContext& context) {
    credits_->count(step, replicas_.state(0));
    if (credits_->looks() < looks_to_adapt_) return;
    take_shares(credits_->shares());
    credits_->begin(replicas_.state(0));
    adapted_ = true;
    looks_to_adapt_ *= 2;
    prepare(replicas_.state(0), context);
}

// Too short a burn-in tells nothing.
void TemperedChain::end_credits() {
    learns_shares_ = false;
    credits_.reset();
    if (!adapted_) take_shares({});
}

void TemperedChain::take_shares(const MoveShares& shares) {
    const bool usual = shares.empty();
    std::shared_ptr<const Space> space = usual ? nullptr : space_.with_shares(shares);
    if (!usual && space == nullptr) {
        throw Error(ErrorKind::argument,
                    "Shares of moves adapt only in spaces that are built by their name.");
    }
    std::unique_ptr<State> state = (usual ? space_ : *space).make_state();
    go_to(*state, replicas_.temperature(0));
    state->become(replicas_.state(0));
    replicas_.replace(0, std::move(state));
    with_shares_ = std::move(space);
    shares_ = shares;
    prepared_ = 0;
}

void TemperedChain::sample(std::uint64_t draws, TaskContext& context, Crew* crew) {
    if (learns_shares_) end_credits();
    const std::uint64_t pieces = averages();
    std::uint64_t piece = 0;
    std::uint64_t left = part_of(options_.thinning, 0, pieces);
    double start = seconds_now();
    record_.begin_interval();
    const auto after_step = [&](const StepOutcome&) {
        if (--left > 0) return;
        context.advance(0);  // what is to stop keeps nothing more
        const State& coldest = replicas_.state(replicas_.coldest());
        if (++piece < pieces) {
            record_.average(coldest, draw_random_);
        } else {
            record_.keep(coldest, draw_random_, seconds_now() - start, counter_, context);
            piece = 0;
            start = seconds_now();
        }
        left = part_of(options_.thinning, piece, pieces);
    };
    advance(draws * options_.thinning, context, crew, after_step, true);
}

// A step moves the state of every temperature, and only those of the coldest are averaged, so that
// with several of them more averages cost the same share of the time.
std::uint64_t TemperedChain::averages() const {
    const std::uint64_t between = space_.steps_between_averages();
    if (between == 0 || !options_.record.edges) return 1;
    const auto nearest = static_cast<std::uint64_t>(space_.nodes() + 1) / 2;
    const std::uint64_t steps = std::max(nearest, between / replicas_.levels());
    return std::max<std::uint64_t>(1, options_.thinning / steps);
}

void TemperedChain::add_ratios() {
    for (std::size_t level = 0; level + 1 < replicas_.levels(); ++level) {
        State& state = replicas_.state(level);
        const Temperature& colder = replicas_.temperature(level + 1);
        ratios_[level].add(colder.log_density(weight_at(state, colder)) -
                           replicas_.temperature(level).log_density(state.log_weight()));
    }
}

void TemperedChain::save(ByteWriter& out) const {
    out.put(shares_);
    draw_random_.save(out);
    replicas_.save(out);
    record_.save(out);
    for (const LogMeanBatches& ratio : ratios_) ratio.save(out);
    for (const std::uint64_t number : {options_.thinning, steps_in_sweep_, sweeps_to_adapt_}) {
        out.put(number);
    }
    save_credits(out);
}

void TemperedChain::restore(ByteReader& in) {
    restore_shares(in);
    draw_random_.restore(in);
    replicas_.restore(in, options_.adapt ? options_.most_temperatures : 0);
    record_.restore(in);
    ratios_.resize(replicas_.levels() - 1);
    for (LogMeanBatches& ratio : ratios_) ratio.restore(in);
    for (std::uint64_t* number : {&options_.thinning, &steps_in_sweep_, &sweeps_to_adapt_}) {
        *number = in.get<std::uint64_t>();
    }
    if (options_.thinning == 0 || steps_in_sweep_ > options_.steps_between_exchanges) {
        ByteReader::damaged();
    }
    restore_credits(in);
}

void TemperedChain::restore_shares(ByteReader& in) {
    const auto shares = in.get_vector<double>();
    if (shares.empty() && shares_.empty()) return;
    if (replicas_.levels() > 1) ByteReader::damaged();
    try {
        take_shares(shares);
    } catch (const Error&) {
        ByteReader::damaged();
    }
}

void TemperedChain::save_credits(ByteWriter& out) const {
    out.put(looks_to_adapt_);
    for (const bool yes : {learns_shares_, adapted_, credits_.has_value()}) {
        out.put(static_cast<std::uint8_t>(yes));
    }
    if (credits_) credits_->save(out);
}

void TemperedChain::restore_credits(ByteReader& in) {
    looks_to_adapt_ = in.get<std::uint64_t>();
    learns_shares_ = in.get<std::uint8_t>() != 0 && replicas_.levels() == 1;
    adapted_ = in.get<std::uint8_t>() != 0;
    credits_.reset();
    if (in.get<std::uint8_t>() == 0) return;
    make_credits(nullptr);
    credits_->restore(in);
    if (!credits_->is_at(replicas_.state(0))) ByteReader::damaged();
}

}  // namespace arcwise
