"""Ambartsoumian and Popowich 2018 (SSAN), Table 1: statistics of the corpora."""

from benchmarks.tables.ssan2 import TABLE as TABLE_2
from benchmarks.vector_coverage import CoverageTable

TABLE = CoverageTable(
    title="SSAN (Ambartsoumian and Popowich 2018), Table 1",
    corpora=TABLE_2.corpora,
    paper={
        "sst_fine": (8_544, 1_101, 2_210, 5, 19.53, 57, 19_500, 89.0),
        "sst_binary": (6_920, 872, 1_821, 2, 19.67, 57, 17_539, 89.6),
        "opener": (2_780, 186, 743, 4, 4.28, 23, 2_447, 99.3),
        "sentube_a": (3_381, 225, 903, 2, 28.54, 127, 18_569, 74.5),
        "sentube_t": (4_997, 333, 1_334, 2, 28.73, 121, 20_276, 76.0),
        "semeval2013": (6_021, 890, 2_376, 3, 22.40, 40, 21_163, 99.8),
    },
    clean_up="tokens",
    clean_up_of={"semeval2013": "tweets"},
    footnotes=[
        "Ours are in lower case, as the vectors are; with their case SenTube's words are as many "
        "as the paper counts. The paper trained its vectors on Google News, ours are trained on "
        "IMDB's reviews, or come with zoo.",
    ],
)
