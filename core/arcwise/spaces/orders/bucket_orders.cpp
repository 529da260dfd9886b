// The space of balanced bucket orders and its size.
#include "arcwise/spaces/orders/bucket_orders.hpp"

#include <algorithm>

#include "arcwise/numerics/special.hpp"
#include "arcwise/spaces/orders/bucket_order.hpp"
#include "arcwise/spaces/orders/bucket_programme.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

BucketOrders::BucketOrders(std::shared_ptr<const ScoreSums> sums, int bucket_size)
    : weights_(std::move(sums)), bucket_size_(bucket_size) {
    if (bucket_size < 1 || std::min(bucket_size, nodes()) > most_bucket_members) {
        throw Error(ErrorKind::capacity, "Buckets of " + std::to_string(bucket_size) +
                                             " nodes came, and their sums are over 2^size sets; "
                                             "give a size from 1 to " +
                                             std::to_string(most_bucket_members) + ".");
    }
}

std::unique_ptr<State> BucketOrders::make_state() const {
    return std::make_unique<BucketOrder>(*this);
}

// n! / product of the buckets' factorials.
double BucketOrders::log_size() const {
    double result = log_gamma(nodes() + 1.0);
    for (int left = nodes(); left > 0; left -= bucket_size_) {
        result -= log_gamma(std::min(left, bucket_size_) + 1.0);
    }
    return result;
}

}  // namespace arcwise
