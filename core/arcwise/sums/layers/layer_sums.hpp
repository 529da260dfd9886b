// Shares of a node's score sums by whether a family holds a given member of a layer.
//
// tau(D) is the sum of the families of a node within a base set and the members D of a layer. All
// that the recursions over layers need of a node follows from the shares of tau(D) that hold a
// member t of D and that do not: holds_t(D) + lacks_t(D) = 1 with lacks_t(D) = tau(D - t) / tau(D).
// Each has all its digits, also where the other is nearly one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "arcwise/sums/layers/layer_families.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

class LayerSums {
  public:
    LayerSums(const ScoreSums& sums, const LayerFamilies& families)
        : sums_(sums), families_(families) {}

    const ScoreSums& sums() const { return sums_; }

    // For all sets D of the k places, by their bits, log_sums[D] = ln tau(D), and for t in D
    // holds[t * 2^k + D] and lacks[t * 2^k + D]. A place of -1 is a node that cannot be a parent.
    template <class Number>
    void fill(int node, ParentBits base, std::span<const int> places, double* log_sums,
              Number* holds, Number* lacks);

    // The same for what is left of all places after some sets T of the first t of them are taken
    // away: holds[2^t + T] is that of t in (all - T). Returns ln tau(all).
    template <class Number>
    double fill_without(int node, ParentBits base, std::span<const int> places, Number* holds,
                        Number* lacks);

    // ln of the sum of the families within `allowed` that meet `required`.
    double log_sum(int node, ParentBits allowed, ParentBits required) {
        return sums_[node].log_sum(allowed, required, memo_);
    }

  private:
    // The same by look-ups, and by adding up families.
    void look_up(const HolderTable& table, int node, ParentBits base, std::span<const int> places,
                 double* log_sums, double* holds, double* lacks);
    double look_up_without(const HolderTable& table, int node, ParentBits base,
                           std::span<const int> places, double* holds, double* lacks);
    void add_up(const FamilyTrie& trie, ParentBits base, std::span<const int> places,
                double* log_sums, double* holds, double* lacks);
    double add_up_without(const FamilyTrie& trie, ParentBits base, std::span<const int> places,
                          double* holds, double* lacks);
    // Fills sets_ with the base and each set of places among the candidates of a tabulated node,
    // and says which of the places it must have.
    std::size_t lay_out(int node, ParentBits base, std::span<const int> places);
    // Fills parts_ with the sums by the places a family has.
    void sum_by_places(const FamilyTrie& trie, ParentBits base, std::span<const int> places);

    template <class Number>
    void split(int node, double log_sum, double log_sum_without, ParentBits allowed, int place,
               Number& holds, Number& lacks);
    // Sets allowed_ to the base and the given places.
    void allow(ParentBits base, std::span<const int> places, std::size_t set);

    const ScoreSums& sums_;
    const LayerFamilies& families_;
    SumMemo memo_;
    std::vector<std::uint64_t> allowed_;
    std::vector<std::uint64_t> required_;
    std::vector<double> log_sums_;
    std::vector<std::size_t> sets_;
    std::vector<std::uint16_t> codes_;
    std::vector<double> parts_;
    std::vector<double> wholes_;
    std::vector<double> holding_;
    std::vector<double> plain_holds_;
    std::vector<double> plain_lacks_;
};

}  // namespace arcwise
