"""What the catalogue says about each corpus: classes, sizes, source, layouts of its raw files."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zoo.datasets.catalogue.raw_formats import SUBHEADINGS


@dataclass(frozen=True)
class Layout:
    """A way in which the raw files of a corpus may be stored in a folder.

    Attributes:
        files: for each split the glob patterns of its files, each of which must match. The split
            ``unlabelled`` may be absent.
        format: the name of a format of :mod:`zoo.datasets.catalogue.raw_formats`.
        classes: class names by raw label; None for a label whose texts are left out.
    """

    files: Mapping[str, tuple[str, ...]]
    format: str
    classes: Mapping[str, str | None]


@dataclass(frozen=True)
class Entry:
    """A corpus of the catalogue.

    Attributes:
        name: its name in ``load`` and ``--data``.
        title: its name in its authors' paper.
        labels: names of the classes.
        sizes: published number of texts of each split, or of ``all`` splits together.
        layouts: the ways in which its raw files may be stored; messages about missing files
            describe the first.
        folders: further names, besides ``name``, that its folder in ``$ZOO_DATA_DIR`` may have.
        citation: authors, year, title and venue.
        licence: the terms under which it may be used.
        homepage: where it is described and, if that is allowed, available.
        urls: public addresses of the files, or of an archive of them.
        class_counts: published number of texts of each class, by split, where known.
        recipe: what else users should know about how it is made.
        sample: how many texts to take of each class or, with ``sample_by="file"``, of each file,
            in a pseudo-random order that is always the same; None takes all.
        clean_up: the clean-up of :class:`zoo.datasets.Preprocessor` that its texts need; None if
            any will do.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    sizes: Mapping[str, int]
    layouts: tuple[Layout, ...]
    folders: tuple[str, ...]
    citation: str
    licence: str
    homepage: str
    urls: tuple[str, ...] = ()
    class_counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    recipe: str = ""
    sample: int | None = None
    sample_by: str = "label"
    clean_up: str | None = None


def _same(*labels):
    return {label: label for label in labels}


def _numbered(labels, first=1):
    return {str(number): label for number, label in enumerate(labels, start=first)}


def _three(*patterns):
    """The files of three splits, from patterns in which ``{}`` stands for the split's name."""
    return {
        split: tuple(pattern.format(part) for pattern in patterns)
        for split, part in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }


def _layout(format, classes, **files):
    """A layout in which each split is a file, or the files that match a pattern."""
    return Layout({split: (name,) for split, name in files.items()}, format, classes)


def _jsonl(classes, format="json_line", **splits):
    return _layout(format, classes, **{s: f"{f}.jsonl.gz" for s, f in splits.items()})


ZHANG = (
    "Zhang, Zhao and LeCun (2015). Character-level Convolutional Networks for Text Classification. "
    "NIPS."
)
TANG = (
    "Tang, Qin and Liu (2015). Document Modeling with Gated Recurrent Neural Network for Sentiment "
    "Classification. EMNLP."
)
BARNES = (
    "splits of Barnes, Klinger and Schulte im Walde (2017). Assessing State-of-the-Art Sentiment "
    "Models on State-of-the-Art Sentiment Datasets. WASSA."
)
SOTA_SENTIMENT = "https://github.com/jbarnesspain/sota_sentiment"
STARS = ("1", "2", "3", "4", "5")
POLARITY = ("negative", "positive")


def _zhang(
    name,
    title,
    labels,
    train,
    test,
    archive,
    licence,
    url=None,
    format="escaped_csv_row",
    folders=(),
):
    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={"train": train, "test": test},
        class_counts={
            split: (size // len(labels),) * len(labels)
            for split, size in (("train", train), ("test", test))
        },
        layouts=(_layout(format, _numbered(labels), train="train.csv", test="test.csv"),),
        folders=(*folders, archive),
        citation=ZHANG,
        licence=licence,
        homepage="https://arxiv.org/abs/1509.01626",
        urls=(url or f"https://s3.amazonaws.com/fast-ai-nlp/{archive}.tgz",),
        recipe="Headerless rows of class, title and text; title and text are two paragraphs.",
    )


def _tang(name, title, stem, labels, total):
    files = _three(stem + "[-.]{}.txt.ss")
    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={"all": total},
        layouts=(Layout(files, "user_product_rating", _same(*labels)),),
        folders=("emnlp-2015-data", stem),
        citation=TANG,
        licence="Reviews of Yelp's users or IMDB's, for research; bring the files yourself.",
        homepage="http://ir.hit.edu.cn/~dytang/",
        recipe=(
            "80% for training, 10% for validation, 10% for test, as the files have it; the size "
            "is that of HAN's Table 1 (Yang et al. 2016). A sentence is a paragraph."
        ),
    )


def _imdb(name, title, labels, classes, tree_format, json_format, counts):
    def tree(split):
        return tuple(f"{split}/{part}/*.txt" for part in ("neg", "pos"))

    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={"train": 25_000, "test": 25_000, "unlabelled": 50_000},
        class_counts=counts,
        layouts=(
            Layout(
                {
                    "train": tree("train"),
                    "test": tree("test"),
                    "unlabelled": ("train/unsup/*.txt",),
                },
                tree_format,
                classes,
            ),
            _jsonl(classes, json_format, train="train", test="test", unlabelled="unsup"),
        ),
        folders=("imdb", "aclImdb"),
        citation=(
            "Maas, Daly, Pham, Huang, Ng and Potts (2011). Learning Word Vectors for Sentiment "
            "Analysis. ACL."
        ),
        licence="Reviews of IMDB's users, for research; cite the paper.",
        homepage="https://ai.stanford.edu/~amaas/data/sentiment/",
        urls=("http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",),
        recipe="HTML line breaks become line breaks.",
    )


SST_LABELS = ("very negative", "negative", "neutral", "positive", "very positive")
# The labels, the classes by a tree's root, and the class counts of the validation and test splits
SST_FINE = (
    SST_LABELS,
    _numbered(SST_LABELS, first=0),
    (139, 289, 229, 279, 165),
    (279, 633, 389, 510, 399),
)
SST_BINARY = (
    POLARITY,
    {"0": "negative", "1": "negative", "2": None, "3": "positive", "4": "positive"},
    (428, 444),
    (912, 909),
)


def _sst(name, title, labels, classes, validation, test, train, recipe, format="tree"):
    counts = {"train": train, "validation": validation, "test": test}
    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={split: sum(of_classes) for split, of_classes in counts.items()},
        class_counts=counts,
        layouts=(Layout(_three("{}.txt"), format, classes),),
        folders=("sst", "trees"),
        citation=(
            "Socher, Perelygin, Wu, Chuang, Manning, Ng and Potts (2013). Recursive Deep Models "
            "for Semantic Compositionality Over a Sentiment Treebank. EMNLP."
        ),
        licence="Not stated; public, for research.",
        homepage="https://nlp.stanford.edu/sentiment/",
        urls=("https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",),
        recipe=recipe,
    )


def _sentube(name, title, product, folder, folders, sizes):
    return Entry(
        name=name,
        title=title,
        labels=POLARITY,
        sizes=dict(zip(("train", "validation", "test"), sizes, strict=True)),
        layouts=(
            _jsonl(
                {"neg": "negative", "pos": "positive"}, train="train", validation="dev", test="test"
            ),
            _layout("video_comments", _same(*POLARITY), train=f"{folder}/*.json"),
        ),
        folders=(*folders, "SenTube", "sentube"),
        citation=(
            "Uryupina, Plank, Severyn, Rotondi and Moschitti (2014). SenTube: A Corpus for "
            f"Sentiment Analysis on YouTube Social Media. LREC; {BARNES}"
        ),
        licence="Comments of YouTube's users, for research.",
        homepage=SOTA_SENTIMENT,
        recipe=(
            f"Comments on the {product} as such. The splits of Barnes et al. follow the order in "
            "which one file system listed the videos, so they are read from train.jsonl.gz, "
            "dev.jsonl.gz and test.jsonl.gz; the official videos are one training split."
        ),
    )


TREC_FINE = tuple(
    f"{coarse}:{fine}"
    for coarse, names in {
        "ABBR": "abb exp",
        "DESC": "def desc manner reason",
        "ENTY": (
            "animal body color cremat currency dismed event food instru lang letter other plant "
            "product religion sport substance symbol techmeth termeq veh word"
        ),
        "HUM": "desc gr ind title",
        "LOC": "city country mount other state",
        "NUM": (
            "code count date dist money ord other perc period speed temp volsize weight"
        ),
    }.items()
    for fine in names.split()
)  # fmt: skip


def _trec(name, title, labels, classes):
    base = "http://cogcomp.org/Data/QA/QC"
    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={"train": 5_452, "test": 500},
        layouts=(
            _layout("label_and_text", classes, train="train_5500.label", test="TREC_10.label"),
        ),
        folders=("trec", "TREC"),
        citation="Li and Roth (2002). Learning Question Classifiers. COLING.",
        licence="Not stated; public, for research.",
        homepage="https://cogcomp.seas.upenn.edu/Data/QA/QC/",
        urls=(f"{base}/train_5500.label", f"{base}/TREC_10.label"),
    )


RELATIONS = (
    "Cause-Effect",
    "Component-Whole",
    "Content-Container",
    "Entity-Destination",
    "Entity-Origin",
    "Instrument-Agency",
    "Member-Collection",
    "Message-Topic",
    "Product-Producer",
)
DIRECTED = (
    *(f"{relation}({ends})" for relation in RELATIONS for ends in ("e1,e2", "e2,e1")),
    "Other",
)
ORGANIZATION = (
    "alternate_names city_of_headquarters country_of_headquarters dissolved founded founded_by "
    "member_of members number_of_employees/members parents political/religious_affiliation "
    "shareholders stateorprovince_of_headquarters subsidiaries top_members/employees website"
).split()
PERSON = (
    "age alternate_names cause_of_death charges children cities_of_residence city_of_birth "
    "city_of_death countries_of_residence country_of_birth country_of_death date_of_birth "
    "date_of_death employee_of origin other_family parents religion schools_attended siblings "
    "spouse stateorprovince_of_birth stateorprovince_of_death stateorprovinces_of_residence title"
).split()
TACRED_LABELS = (
    "no_relation",
    *(f"org:{name}" for name in ORGANIZATION),
    *(f"per:{name}" for name in PERSON),
)
NEWSGROUPS = tuple(
    "alt.atheism comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware "
    "comp.sys.mac.hardware comp.windows.x misc.forsale rec.autos rec.motorcycles "
    "rec.sport.baseball rec.sport.hockey sci.crypt sci.electronics sci.med sci.space "
    "soc.religion.christian talk.politics.guns talk.politics.mideast talk.politics.misc "
    "talk.religion.misc".split()
)
# HCAN's names for McAuley's files; "health" and "food" are abbreviations.
CATEGORIES = {
    "Books": "books",
    "Electronics": "electronics",
    "Clothing_Shoes_and_Jewelry": "clothing",
    "Home_and_Kitchen": "home and kitchen",
    "Sports_and_Outdoors": "sports and outdoors",
    "Health_and_Personal_Care": "health",
    "Video_Games": "video games",
    "Tools_and_Home_Improvement": "tools",
    "Pet_Supplies": "pet supplies",
    "Grocery_and_Gourmet_Food": "food",
}
HCAN = (
    "Gao, Ramanathan and Tourassi (2018). Hierarchical Convolutional Attention Networks for Text "
    "Classification. RepL4NLP"
)


def _amazon_hcan(name, title, labels, format, classes):
    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={"train": 500_000},
        layouts=(
            Layout(
                {"train": tuple(f"reviews_{category}.json.gz" for category in CATEGORIES)},
                format,
                classes,
            ),
        ),
        folders=("amazon_hcan", "amazon"),
        citation=f"{HCAN}; McAuley and Leskovec (2013). Hidden Factors and Hidden Topics. RecSys.",
        licence="Reviews of Amazon's users; McAuley gives the files out for research.",
        homepage="https://jmcauley.ucsd.edu/data/amazon/",
        recipe=(
            "The review files of ten categories, May 1996 to July 2014; 50,000 reviews of each, "
            "drawn at random by a draw that is always the same (HCAN's own is not published)."
        ),
        sample=50_000,
        sample_by="file",
    )


def _pang_lee(name, title, labels, official, per_class, citation, archive):
    names = {label: part for part, label in official.items()}
    base = "https://www.cs.cornell.edu/people/pabo/movie-review-data"
    return Entry(
        name=name,
        title=title,
        labels=labels,
        sizes={"train": 2 * per_class},
        class_counts={"train": (per_class, per_class)},
        layouts=(
            Layout({"train": tuple(names[label] for label in labels)}, "text_line", official),
            _jsonl(_numbered(labels, first=0), train="all"),
        ),
        folders=(archive,),
        citation=citation,
        licence="Not stated; public, for research.",
        homepage=f"{base}/",
        urls=(f"{base}/{archive}.tar.gz",),
        recipe="No official split; the literature cross-validates.",
    )


ENTRIES = (
    _zhang(
        "agnews",
        "AG's News",
        ("World", "Sports", "Business", "Sci/Tech"),
        120_000,
        7_600,
        "ag_news_csv",
        "For research and other non-commercial use.",
        "https://drive.google.com/uc?export=download&id=0Bz8a_Dbh9QhbUDNpeUdjb0wxRms",
        "csv_row",  # a backslash stands for a line break, also before a word that begins with n
        ("ag_news",),
    ),
    _zhang(
        "dbpedia",
        "DBPedia ontology",
        tuple(
            "Company EducationalInstitution Artist Athlete OfficeHolder MeanOfTransportation "
            "Building NaturalPlace Village Animal Plant Album Film WrittenWork".split()
        ),
        560_000,
        70_000,
        "dbpedia_csv",
        "CC BY-SA and GFDL, as DBpedia.",
    ),
    _zhang(
        "yelp_polarity",
        "Yelp reviews, polarity",
        POLARITY,
        560_000,
        38_000,
        "yelp_review_polarity_csv",
        "Terms of the Yelp dataset challenge.",
    ),
    _zhang(
        "yelp_full",
        "Yelp reviews, five stars",
        STARS,
        650_000,
        50_000,
        "yelp_review_full_csv",
        "Terms of the Yelp dataset challenge.",
    ),
    _zhang(
        "yahoo",
        "Yahoo! Answers topics",
        (
            "Society & Culture",
            "Science & Mathematics",
            "Health",
            "Education & Reference",
            "Computers & Internet",
            "Sports",
            "Business & Finance",
            "Entertainment & Music",
            "Family & Relationships",
            "Politics & Government",
        ),
        1_400_000,
        60_000,
        "yahoo_answers_csv",
        "Yahoo! Webscope L6: non-commercial research.",
    ),
    _zhang(
        "amazon_full",
        "Amazon reviews, five stars",
        STARS,
        3_000_000,
        650_000,
        "amazon_review_full_csv",
        "Reviews of Amazon's users, for research.",
    ),
    _tang("yelp2013", "Yelp 2013", "yelp-2013", STARS, 335_018),
    _tang("yelp2014", "Yelp 2014", "yelp-2014", STARS, 1_125_457),
    _tang("yelp2015", "Yelp 2015", "yelp-2015", STARS, 1_569_264),
    _tang("imdb_tang", "IMDB, ten ratings", "imdb", tuple(map(str, range(1, 11))), 348_415),
    _imdb(
        "imdb",
        "Large Movie Review Dataset",
        POLARITY,
        {"neg": "negative", "pos": "positive"},
        "text_file",
        "json_line",
        {"train": (12_500, 12_500), "test": (12_500, 12_500)},
    ),
    _imdb(
        "imdb_rating",
        "Large Movie Review Dataset, eight ratings",
        ("1", "2", "3", "4", "7", "8", "9", "10"),
        _same("1", "2", "3", "4", "7", "8", "9", "10"),
        "rated_text_file",
        "rated_json_line",
        {},
    ),
    _sst(
        "sst_fine",
        "Stanford Sentiment Treebank, five classes",
        *SST_FINE,
        (1_092, 2_218, 1_624, 2_322, 1_288),
        "Whole sentences, labelled with the root of their tree; phrases are not used.",
    ),
    _sst(
        "sst_binary",
        "Stanford Sentiment Treebank, two classes",
        *SST_BINARY,
        (3_310, 3_610),
        "As sst_fine; neutral sentences are left out, degrees are merged.",
    ),
    _sst(
        "sst_fine_phrases",
        "Stanford Sentiment Treebank, five classes, phrases to train on",
        *SST_FINE,
        (7_233, 27_711, 81_658, 33_361, 9_311),
        "As sst_fine, but all phrases of the training trees, each once, are trained on (Kim 2014).",
        "tree_phrases",
    ),
    _sst(
        "sst_binary_phrases",
        "Stanford Sentiment Treebank, two classes, phrases to train on",
        *SST_BINARY,
        (34_944, 42_672),
        "As sst_binary, but all phrases of the training trees, each once, are trained on.",
        "tree_phrases",
    ),
    Entry(
        name="opener",
        title="OpeNER, English hotel reviews",
        labels=("very negative", "negative", "positive", "very positive"),
        sizes={"train": 2_780, "validation": 186, "test": 743},
        layouts=(
            Layout(
                _three("{}/strneg.txt", "{}/neg.txt", "{}/pos.txt", "{}/strpos.txt"),
                "text_line",
                {
                    "strneg.txt": "very negative",
                    "neg.txt": "negative",
                    "pos.txt": "positive",
                    "strpos.txt": "very positive",
                },
            ),
            _jsonl(
                {
                    "strneg": "very negative",
                    "neg": "negative",
                    "pos": "positive",
                    "strpos": "very positive",
                },
                train="train",
                validation="dev",
                test="test",
            ),
        ),
        folders=("OpeNER", "opener"),
        citation=(
            "Agerri, Cuadros, Gaines and Rigau (2013). OpeNER: Open Polarity Enhanced Named Entity "
            f"Recognition. SEPLN; {BARNES}"
        ),
        licence="Not stated; public, for research.",
        homepage=SOTA_SENTIMENT,
    ),
    _sentube(
        "sentube_a",
        "SenTube, automobiles",
        "automobile",
        "automobiles_EN",
        ("sentube_auto",),
        (3_381, 225, 903),
    ),
    _sentube(
        "sentube_t",
        "SenTube, tablets",
        "tablet",
        "tablets_EN",
        ("sentube_tablets",),
        (4_997, 333, 1_334),
    ),
    Entry(
        name="semeval2013",
        title="SemEval-2013 task 2, tweets",
        labels=("negative", "neutral", "positive"),
        sizes={"train": 6_021, "validation": 890, "test": 2_376},
        layouts=(
            Layout(
                _three("{}.tsv"),
                "tweet",
                {
                    **_same("negative", "neutral", "positive"),
                    "objective": "neutral",
                    "objective-OR-neutral": "neutral",
                },
            ),
        ),
        folders=("semeval_2013",),
        citation=(
            "Nakov, Rosenthal, Kozareva, Stoyanov, Ritter and Wilson (2013). SemEval-2013 Task 2: "
            f"Sentiment Analysis in Twitter. SemEval; {BARNES}"
        ),
        licence="Tweets, under Twitter's terms; for research.",
        homepage=SOTA_SENTIMENT,
        clean_up="tweets",
        recipe="objective, neutral and objective-OR-neutral are one class.",
    ),
    _trec(
        "trec",
        "TREC questions, coarse",
        tuple(dict.fromkeys(label.partition(":")[0] for label in TREC_FINE)),
        {label: label.partition(":")[0] for label in TREC_FINE},
    ),
    _trec("trec_fine", "TREC questions, fine", TREC_FINE, _same(*TREC_FINE)),
    Entry(
        name="semeval2010",
        title="SemEval-2010 task 8, relations of nominals",
        labels=DIRECTED,
        sizes={"train": 8_000, "test": 2_717},
        layouts=(
            Layout(
                {"train": ("**/TRAIN_FILE.TXT",), "test": ("**/TEST_FILE_FULL.TXT",)},
                "relation_blocks",
                _same(*DIRECTED),
            ),
        ),
        folders=("semeval2010_task8", "SemEval2010_task8_all_data"),
        citation=(
            "Hendrickx, Kim, Kozareva, Nakov, O Seaghdha, Pado, Pennacchiotti, Romano and "
            "Szpakowicz (2010). SemEval-2010 Task 8: Multi-Way Classification of Semantic "
            "Relations Between Pairs of Nominals. SemEval."
        ),
        licence="CC BY 3.0.",
        homepage="https://semeval2.fbk.eu/semeval2.php?location=tasks#T11",
        recipe="The text keeps the marks <e1> </e1> and <e2> </e2> of the two nominals.",
        clean_up="relations",
    ),
    Entry(
        name="tacred",
        title="TACRED, relations of entities",
        labels=TACRED_LABELS,
        sizes={"train": 68_124, "validation": 22_631, "test": 15_509},
        layouts=(Layout(_three("**/{}.json"), "relation_objects", _same(*TACRED_LABELS)),),
        folders=("TACRED", "tacred_LDC2018T24"),
        citation=(
            "Zhang, Zhong, Chen, Angeli and Manning (2017). Position-aware Attention and "
            "Supervised Data Improve Slot Filling. EMNLP."
        ),
        licence="Linguistic Data Consortium, LDC2018T24: a licence is needed.",
        homepage="https://catalog.ldc.upenn.edu/LDC2018T24",
        recipe=(
            "The text marks the subject with <e1> </e1> and the object with <e2> </e2>; instead of "
            "their words there is SUBJ- or OBJ- with the type of the entity."
        ),
        clean_up="relations",
    ),
    Entry(
        name="pubmed",
        title="PubMed abstracts as in HCAN",
        labels=tuple(SUBHEADINGS),
        sizes={"train": 800_000},
        class_counts={"train": (100_000,) * 8},
        layouts=(_layout("medline", _same(*SUBHEADINGS), train="*.xml.gz"),),
        folders=("pubmed",),
        citation=f"{HCAN}.",
        licence="Terms of the National Library of Medicine; abstracts may be copyrighted.",
        homepage="https://pubmed.ncbi.nlm.nih.gov/download/",
        recipe=(
            "The files of PubMed's yearly baseline (pubmedNNnNNNN.xml.gz): abstracts with exactly "
            "one of eight MeSH subheadings; 100,000 of each, drawn at random by a draw that is "
            "always the same (HCAN's own is not published)."
        ),
        sample=100_000,
    ),
    _amazon_hcan(
        "amazon_hcan",
        "Amazon reviews as in HCAN, five stars",
        STARS,
        "product_review",
        _same(*STARS),
    ),
    _amazon_hcan(
        "amazon_hcan_category",
        "Amazon reviews as in HCAN, ten products",
        tuple(CATEGORIES.values()),
        "review_of_product",
        CATEGORIES,
    ),
    Entry(
        name="newsgroups",
        title="20 Newsgroups, by date",
        labels=NEWSGROUPS,
        sizes={"train": 11_314, "test": 7_532},
        layouts=(
            _layout(
                "news_file",
                _same(*NEWSGROUPS),
                train="20news-bydate-train/*/*",
                test="20news-bydate-test/*/*",
            ),
            _jsonl(_same(*NEWSGROUPS), train="train", test="test"),
        ),
        folders=("20news-bydate", "20_newsgroups"),
        citation="Lang (1995). NewsWeeder: Learning to Filter Netnews. ICML.",
        licence="Not stated; public, for research.",
        homepage="http://qwone.com/~jason/20Newsgroups/",
        urls=("http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",),
        recipe="The header is removed, up to the first empty line; quotes and signatures stay.",
    ),
    _pang_lee(
        "rt_polarity",
        "Rotten Tomatoes sentence polarity",
        POLARITY,
        {"rt-polarity.neg": "negative", "rt-polarity.pos": "positive"},
        5_331,
        "Pang and Lee (2005). Seeing Stars. ACL.",
        "rt-polaritydata",
    ),
    _pang_lee(
        "subj",
        "Subjectivity of sentences",
        ("subjective", "objective"),
        {"quote.tok.gt9.5000": "subjective", "plot.tok.gt9.5000": "objective"},
        5_000,
        "Pang and Lee (2004). A Sentimental Education. ACL.",
        "rotten_imdb",
    ),
    Entry(
        name="mpqa",
        title="MPQA opinion polarity",
        labels=POLARITY,
        sizes={"train": 10_606},
        layouts=(
            _layout("label_and_text", _numbered(POLARITY, first=0), train="mpqa.all"),
            _jsonl(_numbered(POLARITY, first=0), train="all"),
        ),
        folders=("MPQA",),
        citation=(
            "Wiebe, Wilson and Cardie (2005). Annotating Expressions of Opinions and Emotions in "
            "Language. Language Resources and Evaluation."
        ),
        licence="GPL, as the MPQA corpus; for research.",
        homepage="https://mpqa.cs.pitt.edu/",
        recipe="The phrases as prepared for Kim (2014). No official split.",
    ),
)
CATALOGUE = {entry.name: entry for entry in ENTRIES}
