"""The report of ``make bench-gpu``: rows of several runs, each in place of an older one."""

import json
from collections.abc import Iterator
from pathlib import Path

from zoo.filesystem.atomic_files import whole

RESULTS = Path(__file__).parent / "results" / "gpu.md"
KEPT = RESULTS.with_suffix(".json")
SAME = ("model", "rival", "sizes", "precision", "batch", "document")  # what a row is of
HEAD = """Written by `make bench-gpu`, by JAX. What steps take through `fit`, without its start and
end (medians of differences), with Adam, ten steps in an execution, on documents without padding.
What is float32 is multiplied as TF32 where the GPU has it, as JAX and TensorFlow do by default. A
row has the letter of the run that measured it last; rows of one run are best compared, as small
models wait for the machine's processor."""
RUNS, RIVALS, MODELS, ANSWERS = "Runs", "Beside the papers' rivals", "Each model", "Answers"
NOTES = {
    RUNS: "Matrix products of 8192 x 8192, and copies of 1 GiB.",
    RIVALS: """At the papers' sizes; HAN as HCAN's paper has it, with word vectors of 512. Documents
of 9 sentences of 17 words are like Yelp's reviews, of 14 and 23 like IMDB's (HAN, Table 1). Keras'
recurrent layers of masked texts are loops of XLA's on JAX; the last columns have the rival on
PyTorch and cuDNN, on the same ids without masks. PyTorch runs there as it does by default, a step
and a kernel at a time, in 16 bits by autocast: launching its kernels binds it, so that it is what
users get, and not what cuDNN could do.""",
    MODELS: """Batches of 64 documents of 128 words, or 14 sentences of 23; the five papers' models,
and LSTM, at their papers' sizes. Operations are those of the step's matrix products. The roofline
is the most that the run's matrix rate and bandwidth allow, by XLA's count of bytes; models with
loops have none, as XLA counts a loop once. Models without a row were not measured.""",
    ANSWERS: """Scores before the softmax, of the papers' sizes with random weights: how far they
are from those of float32 on the CPU, and how far padding takes them from those without; norms of
the differences, as a share of the scores' norm. HCAN's of runs b and c have Keras' epsilon, 1e-3,
in its layer normalisation, which has been 1e-12 since.""",
}


class Report:
    """What runs have measured.

    Args:
        run: on what this one measures; the row of it.
        keep: whether files keep the rows; those of earlier runs stay in them.
    """

    def __init__(self, run: dict[str, str], keep: bool):
        self.keep = keep
        self.parts = {part: [] for part in NOTES}
        if keep and KEPT.exists():
            self.parts = json.loads(KEPT.read_text("utf-8"))
        used = [row["run"] for row in self.parts[RUNS]]
        self.letter = chr(ord(max(used)) + 1) if used else "a"  # no letter names two runs
        self.add(RUNS, run)

    def add(self, part: str, found: dict[str, str]) -> None:
        """Adds a row, in place of an older one of the same, and drops runs that have no row."""
        row = {"run": self.letter} | found
        rows = self.parts[part]
        at = len(rows)
        if part != RUNS:
            of = [[one.get(key) for key in SAME] for one in (*rows, row)]
            at = of.index(of[-1])
        rows[at : at + 1] = [row]
        used = {one["run"] for part in self.parts if part != RUNS for one in self.parts[part]}
        used.add(self.letter)
        self.parts[RUNS] = [one for one in self.parts[RUNS] if one["run"] in used]
        print("| " + " | ".join(row.values()) + " |", flush=True)
        if self.keep:
            with whole(KEPT) as partial:
                partial.write_text(json.dumps(self.parts, indent=1) + "\n", "utf-8")
            with whole(RESULTS) as partial:
                partial.write_text("\n".join(self.lines()) + "\n", "utf-8")

    def lines(self) -> Iterator[str]:
        """Of ``gpu.md``."""
        yield from ("# Training on a GPU", "", HEAD.replace("\n", " "))
        for part, note in NOTES.items():
            yield from ("", f"## {part}", "", note.replace("\n", " "))
            if self.parts[part]:
                columns = list(self.parts[part][0])
                yield from ("", *map(_line, (columns, ["---"] * len(columns))))
                yield from (_line(row.values()) for row in self.parts[part])


def _line(cells):
    return "| " + " | ".join(cells) + " |"
