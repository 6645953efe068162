"""Li et al. 2021 (ACT), Table 3: what ACT's parts are worth."""

from benchmarks.claims import Claim
from benchmarks.table import IMDB_VECTORS, System, Table
from benchmarks.tables.act2 import AG_NEWS, LI, OURS

ABLATIONS = {
    "1. - Attentive Conv.": "act_feature_maps",
    "2. - Multi-head": "act_one_head",
    "3. - Global rep.": "act_no_global",
    "4. - Position embed.": "act_no_positions",
}

TABLE = Table(
    title="ACT (Li et al. 2021), Table 3",
    corpora={"agnews": "AGNews"},
    systems=[
        System("ACT", "act", train=LI),
        *(System(name, model, train=LI) for name, model in ABLATIONS.items()),
    ],
    train={"calibrate": False},
    claims=[Claim(f"ACT is ahead of {name[3:]}", "ACT", name) for name in ABLATIONS],
    footnotes=[
        "The paper's numbers are accuracies on Yelp F.'s development set: ACT 68.3, its four "
        "ablations 67.1, 67.0, 67.6 and 67.4. Ours are on AG News' test set.",
        AG_NEWS,
        IMDB_VECTORS,
        OURS,
    ],
    vectors=300,
    seeds=3,
)
