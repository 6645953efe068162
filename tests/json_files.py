"""What runs tell of themselves, to be told otherwise."""

import json


def change(path, **values):
    """Sets values of a JSON file."""
    told = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(told | values), "utf-8")
