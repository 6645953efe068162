"""Li et al. 2021 (ACT), Table 3: what ACT's parts are worth."""

from benchmarks.claims import Claim
from benchmarks.table import IMDB_VECTORS, System, Table
from benchmarks.tables.act2 import AG_NEWS, AGAIN, LI, RECIPE

ABLATIONS = {
    "1. - Attentive Conv.": ("act_feature_maps", 67.1),
    "2. - Multi-head": ("act_one_head", 67.0),
    "3. - Global rep.": ("act_no_global", 67.6),
    "4. - Position embed.": ("act_no_positions", 67.4),
}

TABLE = Table(
    title="ACT (Li et al. 2021), Table 3",
    corpora={"agnews": "AGNews"},
    systems=[
        System("ACT", "act", elsewhere=(68.3,), train=LI),
        *(
            System(name, model, elsewhere=(accuracy,), train=LI)
            for name, (model, accuracy) in ABLATIONS.items()
        ),
    ],
    train={"calibrate": False},
    claims=[Claim(f"ACT is ahead of {name[3:]}", "ACT", name) for name in ABLATIONS],
    footnotes=[
        "AG News' test set stands in for Yelp F.'s development set.",
        "The paper's column of TACRED is left out: it needs a licence.",
        AG_NEWS,
        IMDB_VECTORS,
        RECIPE + ".",
        AGAIN,
    ],
    elsewhere=("Yelp F.",),
    vectors=300,
    seeds=3,
)
