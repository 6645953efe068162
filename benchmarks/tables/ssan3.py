"""Ambartsoumian and Popowich 2018 (SSAN), Table 3: characteristics of the architectures."""

from benchmarks.costs import Cost, CostTable

TABLE = CostTable(
    title="SSAN (Ambartsoumian and Popowich 2018), Table 3",
    corpora={"sst_fine": "SST-fine"},
    systems=[
        Cost("LSTM", "lstm", 722_705, 419, 235.9, 7.6),
        Cost("BiLSTM", "bilstm", 1_445_405, 547, 416.0, 12.7),
        Cost("CNN", "cnn_barnes", 83_714, 986, 21.1, 0.85),
        Cost("1-Layer SSAN + RPR", "ssan", 465_600, 381, 64.6, 8.9),
        Cost("1-Layer SSAN + PE", "ssan_pe", 453_000, 381, 58.1, 8.5),
        Cost("2-Layer SSAN + RPR", "ssan_2layer", 839_400, 509, 70.3, 9.3),
        Cost("Transformer + RPR", "transformer", 1_177_920, 510, 78.2, 9.7),
        *(
            Cost(f"1-Layer SSAN + RPR, {width} wide", "ssan", preset=f"ambartsoumian2018_{width}")
            for width in (50, 100, 200, 600)
        ),
    ],
    preset="ambartsoumian2018",
    passes=10,
    footnotes=[
        "The paper has the widths other than 300 in its Table 2 alone.",
        "Batches of 32 with Adam, as in the paper; texts of like length are in a batch, where the "
        "paper draws them at random.",
        "Word vectors are random and stay as they are, in all systems; in the paper the code "
        "of Barnes et al., of LSTM, BiLSTM and CNN, trains them.",
        "The paper finds that SSAN predicts more slowly than LSTM, and that a second layer costs "
        "little. On a CPU, where the work of both grows with their products, we do not see either.",
        "Each system was measured once, in a process of its own; predictions count the reading of "
        "the texts and the start of each pass: small differences between systems say nothing.",
        "The paper does not say what of the CNN makes 83,714 parameters; 3 filters do.",
    ],
)
