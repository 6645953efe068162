"""Errors that a user can act on. Their messages need no stack trace."""

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
    """Ctrl-C ended a command. The command line prints the message and exits with code 130."""


class DivergedError(UsageError):
    """The loss of a training is infinite or NaN, so that the training cannot continue."""


def unknown(
    what: str, value: object, allowed: Iterable[str], where: str | None = None
) -> UsageError:
    """The error for a name that is not among the allowed ones, with the nearest matches.

    The message lists the allowed names, or says ``where`` they are listed.
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
