"""Errors that a user can act on: the message is the whole story, no stack trace needed."""

import difflib
from collections.abc import Iterable

MOST_LISTED = 50  # names in a message


class UsageError(ValueError):
    """Bad input: a name, an option, a file. The command line prints it and exits with code 2.

    Example:
        >>> import zoo
        >>> try:
        ...     zoo.build("hcam", num_classes=2)
        ... except zoo.UsageError as error:
        ...     print(error)
        unknown model 'hcam'. Did you mean 'hcan' ...
    """


class Interrupted(Exception):
    """What Ctrl-C ended on the command line, which prints it and exits with code 130."""


class DivergedError(UsageError):
    """A training whose loss is no number any more: nothing could continue it."""


def unknown(
    what: str, value: object, allowed: Iterable[str], where: str | None = None
) -> UsageError:
    """The error for a name that is not among the allowed ones, with the nearest matches.

    They are listed, or ``where`` says who does.
    """
    allowed = [str(name) for name in allowed]
    if not allowed:
        return UsageError(f"unknown {what} {value!r}: there are none.")
    folded = {name.casefold(): name for name in reversed(allowed)}
    close = difflib.get_close_matches(str(value).casefold(), folded, n=3)
    hint = f" Did you mean {' or '.join(repr(folded[name]) for name in close)}?" if close else ""
    if where is not None:
        return UsageError(f"unknown {what} {value!r}.{hint} {where}")
    listed = ", ".join(allowed[:MOST_LISTED])
    rest = f" and {len(allowed) - MOST_LISTED} others" if len(allowed) > MOST_LISTED else ""
    return UsageError(f"unknown {what} {value!r}.{hint} Allowed: {listed}{rest}.")
