"""Refuses files of the C++ core that use names of the standard library without their header.

Headers of the standard library are precompiled, so that a compiler sees all of them in every file
and misses none. A file has a header if it includes it, or a file of the core that does.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "core"
OWN_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
STANDARD_INCLUDE = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
NAME = re.compile(r"\bstd::((?:ranges::)?\w+)")

# By header, the names that come with it. Where several headers have a name, each will do.
NAMES = {
    "algorithm": """
        adjacent_find all_of any_of binary_search clamp copy copy_backward copy_if copy_n count
        count_if equal equal_range fill fill_n find find_if find_if_not for_each for_each_n generate
        generate_n includes inplace_merge is_heap is_partitioned is_permutation is_sorted
        lexicographical_compare lower_bound make_heap max max_element merge min min_element minmax
        minmax_element mismatch move none_of next_permutation nth_element partial_sort partition
        partition_point pop_heap prev_permutation push_heap remove remove_copy remove_if replace
        replace_if reverse reverse_copy rotate rotate_copy sample search set_difference
        set_intersection set_symmetric_difference set_union shuffle sort sort_heap stable_partition
        stable_sort swap_ranges transform unique unique_copy upper_bound
        ranges::adjacent_find ranges::all_of ranges::any_of ranges::binary_search ranges::copy
        ranges::copy_if ranges::count ranges::count_if ranges::equal ranges::includes
        ranges::next_permutation ranges::fill ranges::find ranges::find_if
        ranges::is_permutation ranges::is_sorted ranges::lower_bound ranges::make_heap ranges::max
        ranges::max_element ranges::min ranges::min_element ranges::minmax ranges::none_of
        ranges::pop_heap ranges::push_heap ranges::reverse ranges::rotate ranges::sort
        ranges::stable_sort ranges::transform ranges::unique ranges::upper_bound""",
    "array": "array to_array",
    "atomic": """
        atomic atomic_flag atomic_ref atomic_thread_fence memory_order memory_order_acq_rel
        memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst""",
    "barrier": "barrier",
    "bit": """
        bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian
        has_single_bit popcount rotl rotr""",
    "cerrno": "errno",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono",
    "cmath": """
        abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2
        expm1 fabs fdim floor fma fmax fmin fmod fpclassify frexp hypot ilogb isfinite isinf isnan
        isnormal ldexp lgamma llround log log10 log1p log2 logb lrint lround modf nan nearbyint
        nextafter pow remainder rint round scalbn signbit sin sinh sqrt tan tanh tgamma trunc""",
    "compare": "strong_ordering weak_ordering partial_ordering",
    "concepts": """
        constructible_from convertible_to derived_from floating_point integral invocable
        regular same_as signed_integral unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": """
        int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t
        uintmax_t uintptr_t""",
    "cstdio": """
        FILE fclose feof fflush fgets fopen fprintf fputs fread fseek ftell fwrite printf puts
        remove rename snprintf""",
    "cstdlib": "abort abs aligned_alloc calloc exit free getenv malloc realloc strtod strtol",
    "cstring": "memchr memcmp memcpy memmove memset strcmp strerror strlen strncmp",
    "exception": """
        current_exception exception exception_ptr make_exception_ptr rethrow_exception terminate
        uncaught_exceptions""",
    "filesystem": "filesystem",
    "fstream": "filebuf fstream ifstream ios ofstream streamoff streamsize",
    "functional": """
        bind bit_and bit_or bit_xor cref divides equal_to function greater greater_equal hash
        identity invoke less less_equal logical_and logical_not logical_or mem_fn minus modulus
        multiplies negate not_fn plus ref reference_wrapper ranges::greater ranges::less
        ranges::not_equal_to ranges::equal_to""",
    "initializer_list": "initializer_list",
    "ios": "ios ios_base streamoff streamsize",
    "iterator": """
        advance back_inserter begin data distance empty end forward_iterator_tag
        input_iterator_tag inserter istreambuf_iterator iterator_traits make_move_iterator
        make_reverse_iterator next ostreambuf_iterator prev random_access_iterator_tag rbegin rend
        reverse_iterator size ssize""",
    "limits": "numeric_limits",
    "locale": "locale",
    "map": "map multimap erase_if",
    "memory": """
        addressof align allocator allocator_traits assume_aligned construct_at destroy_at
        enable_shared_from_this make_shared make_unique make_unique_for_overwrite
        shared_ptr static_pointer_cast to_address unique_ptr weak_ptr""",
    "mutex": """
        adopt_lock call_once defer_lock lock lock_guard mutex once_flag recursive_mutex scoped_lock
        timed_mutex try_to_lock unique_lock""",
    "new": "align_val_t bad_alloc hardware_destructive_interference_size launder nothrow",
    "numbers": "numbers",
    "numeric": """
        accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm
        midpoint partial_sum reduce transform_reduce""",
    "optional": "bad_optional_access make_optional nullopt nullopt_t optional",
    "random": "mt19937 mt19937_64 random_device uniform_int_distribution uniform_real_distribution",
    "set": "multiset set erase_if",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": """
        domain_error invalid_argument length_error logic_error out_of_range overflow_error
        runtime_error underflow_error""",
    "string": """
        char_traits getline stod stoi stol stoll stoul stoull string to_string u8string
        erase""",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply get ignore make_tuple tie tuple tuple_element_t tuple_size tuple_size_v",
    "type_traits": """
        add_const_t add_pointer_t bool_constant common_type_t conditional_t decay_t enable_if_t
        false_type integral_constant invoke_result_t is_arithmetic_v is_base_of_v
        is_constant_evaluated is_const_v is_convertible_v is_enum_v is_floating_point_v
        is_integral_v is_invocable_v is_same_v is_signed_v is_trivially_copyable_v is_unsigned_v
        is_void_v make_signed_t make_unsigned_t remove_const_t remove_cv_t remove_cvref_t
        remove_pointer_t remove_reference_t true_type type_identity_t underlying_type_t void_t""",
    "unordered_map": "unordered_map unordered_multimap erase_if",
    "unordered_set": "unordered_set erase_if",
    "utility": """
        as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal declval exchange
        forward get in_place in_range index_sequence integer_sequence make_index_sequence make_pair
        move pair piecewise_construct swap to_underlying tuple_element_t tuple_size_v
        unreachable""",
    "variant": "get get_if holds_alternative monostate variant variant_alternative_t visit",
    "vector": "vector erase erase_if",
}
# Hardly a header comes without these.
EVERYWHERE = {"size_t", "ptrdiff_t", "move", "swap", "forward", "pair", "nullptr_t", "begin", "end"}


def _headers_by_name() -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for header, names in NAMES.items():
        for name in names.split():
            table.setdefault(name, set()).add(header)
    return table


HEADERS = _headers_by_name()


def _place(include: str, file: Path) -> Path | None:
    """Find an included file of the core or of its tests."""
    for folder in (CORE, CORE / "tests", file.parent):
        if (folder / include).exists():
            return folder / include
    return None


@cache
def headers_of(file: Path) -> frozenset[str]:
    """Return the standard headers a file has, by itself or through files of the core."""
    text = file.read_text()
    found = set(STANDARD_INCLUDE.findall(text))
    for include in OWN_INCLUDE.findall(text):
        if (place := _place(include, file)) is not None:
            found |= headers_of(place)
    return frozenset(found)


def faults_of(file: Path) -> list[str]:
    """Say which names the file uses without their header, and which are not known here."""
    had = headers_of(file)
    faults = []
    for name in sorted(set(NAME.findall(COMMENT_OR_TEXT.sub("", file.read_text())))):
        if name in EVERYWHERE or name == "ranges":
            continue
        if name not in HEADERS:
            faults.append(f"std::{name} is not in tools/standard_includes.py; enter its header")
        elif not HEADERS[name] & had:
            one = " or ".join(f"<{header}>" for header in sorted(HEADERS[name]))
            faults.append(f"std::{name} is used without {one}")
    return faults


def main() -> int:
    """Print what is wrong; return 1 if something is."""
    status = 0
    for file in sorted(CORE.rglob("*.[ch]pp")):
        for fault in faults_of(file):
            print(f"{file.relative_to(CORE.parent)}: {fault}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
