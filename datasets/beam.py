"""Apache Beam, which is installed apart: work on many cores or machines."""

import contextlib
import io
import re
from collections.abc import Sequence

from zoo.errors import UsageError

LOCAL = (
    "--direct_running_mode=multi_processing",
    "--direct_num_workers=0",  # one for each core
    "--default_sdk_harness_log_level=ERROR",
)


def import_beam():
    """The package.

    Raises:
        UsageError: if it is not installed.
    """
    try:
        import apache_beam
    except ImportError:
        raise UsageError(
            "Apache Beam is not installed: pip install 'attention-zoo[beam]', or leave out --beam"
        ) from None
    return apache_beam


def pipeline_options(options: Sequence[str] = ()):
    """Options such as ``--runner=FlinkRunner``; without a runner, all cores of this machine.

    Raises:
        UsageError: if an option has a wrong value, or there is no such runner, or it is not
            installed.
    """
    beam = import_beam()
    given = {option.partition("=")[0] for option in options}
    local = () if "--runner" in given else (o for o in LOCAL if o.partition("=")[0] not in given)
    found = beam.options.pipeline_options.PipelineOptions([*local, *options])
    try:
        with contextlib.redirect_stderr(io.StringIO()) as said:  # argparse, with all that there is
            runner = found.get_all_options()["runner"]
    except SystemExit:
        reason = said.getvalue().strip().rpartition("error: ")[2]
        raise UsageError(f"options of Apache Beam: {reason}") from None
    if runner:
        try:
            beam.runners.create_runner(runner)
        except (ValueError, ImportError, AttributeError) as error:
            raise UsageError(f"runner {runner!r} of Apache Beam: {error}") from None
    return found


def usage_error_in(error: Exception) -> UsageError | None:
    """What a worker had to say to the user, from the middle of its report; None if nothing."""
    cause = re.search(r"UsageError: (.*?)(?: \[while running|$)", str(error), re.M)
    return cause and UsageError(cause[1])
