"""The order of classes, which their numbers follow."""

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation


def in_label_order(labels: Iterable[str]) -> list[str]:
    """The order of class numbers: numbers by their size where all labels are some, else as text.

    >>> in_label_order(["10", "9", "-1"]), in_label_order(["10", "9", "none"])
    (['-1', '9', '10'], ['10', '9', 'none'])
    """
    labels = sorted(labels)
    numbers = [number_of(label) for label in labels]
    if None in numbers:
        return labels
    return [labels[i] for i in sorted(range(len(labels)), key=numbers.__getitem__)]


def number_of(label: str) -> Decimal | None:
    """The number that a label is, as "7", "-1", "07" and "7.0" are; None for another label."""
    try:
        number = Decimal(label.replace("\N{MINUS SIGN}", "-"))
    except InvalidOperation:
        return None
    return number if number.is_finite() and "_" not in label else None
