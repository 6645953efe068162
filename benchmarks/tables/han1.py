"""Yang et al. 2016 (HAN), Table 1: statistics of the corpora."""

from benchmarks.corpus_statistics import StatisticsTable

TABLE = StatisticsTable(
    title="HAN (Yang et al. 2016), Table 1",
    corpora={
        "imdb": "IMDB (2 classes)",
        "imdb_rating": "IMDB (8 classes)",
        "newsgroups": "20 Newsgroups",
        "agnews": "AG News",
        "sst_fine": "SST",
        "trec": "TREC",
        "sentube_a": "SenTube-A",
        "semeval2013": "SemEval-2013",
        "semeval2010": "SemEval-2010 task 8",
    },
    paper={
        "Yelp 2013": (5, 335_018, 8.9, 151, 151.6, 1184, 211_245),
        "Yelp 2014": (5, 1_125_457, 9.2, 151, 156.9, 1199, 476_191),
        "Yelp 2015": (5, 1_569_264, 9.0, 151, 151.9, 1199, 612_636),
        "IMDB review": (10, 348_415, 14.0, 148, 325.6, 2802, 115_831),
        "Yahoo Answer": (10, 1_450_000, 6.4, 515, 108.4, 4002, 1_554_607),
        "Amazon review": (5, 3_650_000, 4.9, 99, 91.9, 596, 1_919_336),
    },
    clean_up="han",
    footnotes=[
        "Sentences and words are those of zoo's rules, where the paper has Stanford's CoreNLP. "
        "Nothing is cut; training cuts texts at the model's limits.",
        "From AG News on, the corpora are those of the other papers. Test documents that are in "
        "the training split, too, but for case and blanks, stay in all tables: the splits are the "
        "official ones.",
    ],
)
