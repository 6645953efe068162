"""How long the long tests run."""


def pytest_addoption(parser):
    parser.addoption(
        "--hours",
        type=float,
        default=2,
        help="Of all long tests together. Below half an hour it is warm-up that is measured.",
    )
