// Bucket after bucket: what comes before a node is all earlier buckets and a random part of its
// own.
#include "arcwise/spaces/orders/given_buckets.hpp"

#include <cmath>
#include <string>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

void refuse_wrong_buckets(const std::vector<std::vector<int>>& buckets, int nodes) {
    std::vector<bool> seen(static_cast<std::size_t>(nodes), false);
    std::size_t count = 0;
    for (const std::vector<int>& bucket : buckets) {
        if (bucket.size() > most_bucket_members) {
            throw Error(ErrorKind::capacity, "A bucket has " + std::to_string(bucket.size()) +
                                                 " nodes, and up to " +
                                                 std::to_string(most_bucket_members) +
                                                 " are possible; split it into smaller ones.");
        }
        for (const int node : bucket) {
            if (node < 0 || node >= nodes || seen[static_cast<std::size_t>(node)]) {
                throw Error(ErrorKind::argument, "Every node must be in exactly one bucket.");
            }
            seen[static_cast<std::size_t>(node)] = true;
            ++count;
        }
    }
    if (count != seen.size()) {
        throw Error(ErrorKind::argument, "Every node must be in exactly one bucket.");
    }
}

}  // namespace

std::vector<const double*> GivenBuckets::Bucket::tables() const {
    const std::size_t size = log_sums.size() / members.size();
    std::vector<const double*> result;
    for (std::size_t i = 0; i < members.size(); ++i) result.push_back(log_sums.data() + i * size);
    return result;
}

GivenBuckets::GivenBuckets(const ScoreSums& sums, std::vector<std::vector<int>> buckets)
    : sums_(sums) {
    refuse_wrong_buckets(buckets, sums.nodes());
    std::vector<int> before;
    for (std::vector<int>& members : buckets) {
        if (members.empty()) continue;
        Bucket bucket;
        const std::size_t size = (std::size_t{1} << members.size()) / 2;
        bucket.log_sums.resize(members.size() * size);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const int node = members[i];
            std::vector<int> places;
            for (const int other : members) {
                if (other != node) places.push_back(sums.place(node, other));
            }
            bucket.base.push_back(sums.bits(node, before));
            sums[node].log_sums_over(bucket.base[i].data(), places,
                                     bucket.log_sums.data() + i * size);
            bucket.places.push_back(std::move(places));
        }
        before.insert(before.end(), members.begin(), members.end());
        bucket.members = std::move(members);
        log_weight_ += recursion_.log_score(bucket.tables());
        buckets_.push_back(std::move(bucket));
    }
}

const BucketOrderLaw& GivenBuckets::law(Bucket& bucket) {
    if (!bucket.law) bucket.law.emplace(bucket.tables(), recursion_);
    return *bucket.law;
}

void GivenBuckets::add_edge_probabilities(double scale, double* edges) {
    if (std::isinf(log_weight_)) refuse_order_without_dag();
    for (Bucket& bucket : buckets_) add_bucket(bucket, scale, edges);
}

void GivenBuckets::add_bucket(Bucket& bucket, double scale, double* edges) {
    const std::size_t size = bucket.log_sums.size() / bucket.members.size();
    std::vector<double> factors(size);
    for (std::size_t i = 0; i < bucket.members.size(); ++i) {
        const int node = bucket.members[i];
        const double* const log_sums = bucket.log_sums.data() + i * size;
        // A set of predecessors Y has the probability P(Y), and given it a family has its weight
        // over alpha(Y): so a family counts with the sum of P(Y) / alpha(Y) over all Y around it.
        if (size == 1) {
            factors[0] = 0.0;
        } else {
            law(bucket).log_predecessors(static_cast<int>(i), factors.data());
        }
        for (std::size_t set = 0; set < size; ++set) {
            factors[set] =
                log_sums[set] == minus_infinity ? minus_infinity : factors[set] - log_sums[set];
        }
        log_sum_over_supersets(factors, static_cast<int>(bucket.places[i].size()));
        std::vector<double> by_place(sums_.possible_parents(node).size(), 0.0);
        sums_[node].add_parent_probabilities(bucket.base[i].data(), bucket.places[i],
                                             factors.data(), by_place.data());
        add_parents_to_edges(sums_, node, scale, by_place, edges);
    }
}

void GivenBuckets::draw(Random& random, std::uint64_t* parents) {
    if (std::isinf(log_weight_)) refuse_order_without_dag();
    const std::size_t words = words_for(sums_.nodes());
    std::fill_n(parents, static_cast<std::size_t>(sums_.nodes()) * words, 0);
    int order[most_bucket_members];
    std::vector<std::uint64_t> allowed;
    for (Bucket& bucket : buckets_) {
        order[0] = 0;  // all there is to a bucket of one
        if (bucket.members.size() > 1) law(bucket).draw(random, order);
        for (std::size_t step = 0; step < bucket.members.size(); ++step) {
            const auto member = static_cast<std::size_t>(order[step]);
            const int node = bucket.members[member];
            allowed = bucket.base[member];
            for (std::size_t earlier = 0; earlier < step; ++earlier) {
                const int other = bucket.members[static_cast<std::size_t>(order[earlier])];
                const int place = sums_.place(node, other);
                if (place >= 0) put_member(allowed.data(), place);
            }
            draw_parents(sums_, node, allowed.data(), random,
                         parents + static_cast<std::size_t>(node) * words);
        }
    }
}

}  // namespace arcwise
