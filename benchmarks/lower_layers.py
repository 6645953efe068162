"""The lower layers of a language model as zoo's BERT, for a training to start from.

As Sanh et al. 2019 (DistilBERT, section 3) start a student with layers of its teacher.
"""

from pathlib import Path

import numpy as np

import zoo
from zoo.datasets import Preprocessor
from zoo.filesystem.atomic_files import write_json
from zoo.runs.run_folder import write_words
from zoo.weights.bert_start import fill_layers

MAX_WORDS = 60
MAX_VOCABULARY = 60_000  # of the texts; with further ones twice as many
CLEAN_UP = "kim"


def write_lower_layers(
    folder: Path, teacher, texts: list[str], words: list[str], labels: list[str], count: int
) -> None:
    """Writes a run folder, as :func:`zoo.train` takes it for ``start_from``.

    The model reads words: each has the mean of the vectors of its pieces, and there is none before
    the first and after the last. It classifies the mean of what was not the last layer. Training
    mends what that breaks.

    Args:
        folder: a new one.
        teacher: a :class:`benchmarks.teacher.Teacher`.
        texts: whose words it knows.
        words: further ones that it knows, beside those of the teacher that are no parts of words.
        labels: those of the teacher's head.
        count: how many layers.
    """
    whole = [piece for piece in teacher.split.get_vocab() if piece.isalpha()]
    preprocessor = Preprocessor.fit(texts, MAX_WORDS, None, CLEAN_UP, 1, MAX_VOCABULARY)
    preprocessor = preprocessor.extended([*whole, *words], 2 * MAX_VOCABULARY)
    model = zoo.build(
        "bert",
        len(labels),
        "wang2020",
        num_layers=count,
        max_words=MAX_WORDS,
        train_embeddings=False,
        vocabulary_size=preprocessor.vocabulary_size,
    )
    model.preprocessor, model.labels = preprocessor, labels
    _assign_words(model, teacher)
    fill_layers(model, _arrays(teacher.encoder))
    head = _arrays(teacher.head)
    of_mean = head["weight"][:, : model.embedding_dim]  # and not of the first piece
    model.classify.set_weights([of_mean.T, head["bias"]])
    folder.mkdir()
    write_words(folder, model)
    model.save(folder / "model.keras")
    config = {"model": "bert", "data": "", "files": {}, "seed": 0, "versions": {}}
    config |= {"clean_up": CLEAN_UP, "text_version": model.preprocessor.version}
    write_json(folder / "config.json", config)


def _assign_words(model, teacher):
    """The means of pieces, and positions, to which the vector of the only segment is added."""
    arrays = _arrays(teacher.encoder.embeddings)
    pieces, unknown = arrays["word_embeddings.weight"], [teacher.split.unk_token_id]
    split = teacher.split(model.preprocessor.vocabulary, add_special_tokens=False)["input_ids"]
    means = [pieces[one or unknown].mean(axis=0) for one in (unknown, *split)]
    model.embed.embeddings.assign(np.stack([np.zeros_like(means[0]), *means]))
    places = arrays["position_embeddings.weight"][1 : MAX_WORDS + 1]  # the first is of [CLS]
    model.positions.embeddings.assign(places + arrays["token_type_embeddings.weight"][0])


def _arrays(module):
    return {name: tensor.numpy() for name, tensor in module.state_dict().items()}
