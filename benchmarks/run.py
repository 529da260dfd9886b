"""The benchmarks of arcwise.

    python benchmarks/run.py --list
    python benchmarks/run.py NAME... [--help] [OPTIONS]

Cases run in the order of their names. Cases of many runs share them among `--processes`, append
their rows to the file `--out`, resume from it, and report on such files (`--report`).
"""

from __future__ import annotations

import importlib
import sys

SUBJECTS = ("speed", "answers", "recovery", "mixing", "device")


def main() -> None:
    # A process that a case starts imports this file too, and then only the module that it needs.
    for subject in SUBJECTS:
        importlib.import_module(subject)
    from cases import CASES, call, sentence

    words = sys.argv[1:]
    first_option = next((place for place, word in enumerate(words) if word[0] == "-"), len(words))
    names, options = words[:first_option], words[first_option:]
    unknown = [name for name in names if name not in CASES]
    if unknown:
        raise SystemExit(f"unknown cases: {', '.join(unknown)}; see --list")
    if names:
        call([CASES[name] for name in names], options)
        return
    print(__doc__)
    for subject in SUBJECTS:
        print(f"{subject}:")
        for name, case in CASES.items():
            if case.__module__ == subject:
                print(f"  {name:<22}{sentence(case)}")


if __name__ == "__main__":
    main()
