"""The command line: each sub-command calls the public function of the same name."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence

from typer.exceptions import Exit, TyperException

from arcwise.cli.app import application
from arcwise.cli.composition import began
from arcwise.cli.help_texts import in_words, words_to_complete
from arcwise.data.raw import SEPARATOR
from arcwise.errors import ArcwiseError, ArcwiseWarning, readable
from arcwise.support.running import process_began, sigterm_interrupts

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``arcwise`` with these arguments and return its exit status.

    A user's mistake ends in one sentence on standard error and status 2. Each warning
    is one sentence, too. Without arguments, the help is printed.

    Examples
    --------
    >>> main(["--version"])
    arcwise 0.1.0
    0
    """
    # On Windows, pipes and files have a code page without the characters of tables; standard error
    # escapes these by itself.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    # A call from Python with its own arguments begins now, and not with the process.
    before = began.set(process_began() if arguments is None else None)
    try:
        # SIGTERM is reported with a message and a status at any time, not only during a run.
        with sigterm_interrupts(), warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.simplefilter("always", ArcwiseWarning)
            words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
            completed = words_to_complete()
            run = application(words if completed is None else completed)
            # Typer turns Ctrl-C into a status that it returns.
            if run(words, prog_name="arcwise", standalone_mode=False) == _INTERRUPTED:
                raise KeyboardInterrupt
            sys.stdout.flush()
    except Exit as exit_request:
        return exit_request.exit_code
    except SystemExit as done:  # raised by Typer after completion
        return int(done.code or 0)
    except TyperException as usage:
        sentence = in_words(usage.format_message(), words, getattr(run, "commands", {}))
        return _refuse(sentence or "see arcwise --help")
    except ArcwiseError as error:
        return _refuse(error.in_shell())
    except BrokenPipeError:
        # The reader has closed the pipe, so nothing must be written at exit either.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 1
    except OSError as error:
        return _refuse(f"{error.filename or 'a file'}: {error.strerror or error}")
    except MemoryError:
        return _refuse("there is not enough memory; lower --max-indegree or give --candidates")
    except KeyboardInterrupt:
        print("arcwise: interrupted", file=sys.stderr)
        return _INTERRUPTED
    finally:
        began.reset(before)
    return 0


def _refuse(sentence: str) -> int:
    # Only the problems of a table are on separate lines.
    lines = [" ".join(line.split()) for line in sentence.split(SEPARATOR)]
    print(f"arcwise: {readable(SEPARATOR.join(lines))}", file=sys.stderr)
    return 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    sentence = message.in_shell() if isinstance(message, ArcwiseWarning) else str(message)
    print(f"arcwise: warning: {' '.join(sentence.split())}", file=sys.stderr)
