// Keeps what was computed for sets of nodes and is too large to keep for many of them.
//
// Every key has one slot; what came last stays. Memory is used again once nobody holds it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "arcwise/spaces/orders/weight_memo.hpp"

namespace arcwise {

template <class Value>
class SetCache {
  public:
    explicit SetCache(std::size_t slots) : slots_(slots) {}

    // The value of a key, computed by compute(value) if it is not here.
    template <class Compute>
    std::shared_ptr<const Value> get(const SetKey& key, Compute&& compute) {
        if (const auto& slot = slots_[key.first % slots_.size()]; slot.value && slot.key == key) {
            return slot.value;
        }
        // Computing may need the slot itself for other keys: take its memory before.
        std::shared_ptr<Value> value;
        if (Slot& slot = slots_[key.first % slots_.size()]; slot.value.use_count() == 1) {
            value = std::move(slot.value);
        } else {
            value = std::make_shared<Value>();
        }
        compute(*value);
        slots_[key.first % slots_.size()] = {key, value};
        return value;
    }

  private:
    struct Slot {
        SetKey key;
        std::shared_ptr<Value> value;
    };
    std::vector<Slot> slots_;
};

}  // namespace arcwise
