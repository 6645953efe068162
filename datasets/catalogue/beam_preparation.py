"""Work on many cores or machines with Apache Beam, which is installed separately."""

import contextlib
import io
import logging
import re
from collections.abc import Sequence

from zoo.errors import UsageError, unknown

LOCAL = (
    "--direct_running_mode=multi_processing",
    "--direct_num_workers=0",  # one for each core
    "--default_sdk_harness_log_level=ERROR",
)

logger = logging.getLogger("zoo")


def import_beam():
    """Imports and returns Beam's package.

    Raises:
        UsageError: if it is not installed.
    """
    try:
        import apache_beam
    except ImportError:
        raise UsageError(
            "Apache Beam is not installed: pip install 'attention-zoo[beam]', or leave out --beam"
        ) from None
    import objsize  # which Beam depends on

    # Beam's threads measure objects, and look at what all modules hold for that. Those of cffi
    # abort Python where several threads are the first to look.
    objsize.get_deep_size(None)
    return apache_beam


def pipeline_options(options: Sequence[str] = ()):
    """Options such as ``--runner=FlinkRunner``; without a runner, all cores of this machine.

    Raises:
        UsageError: if an option has a wrong value or is unknown, or there is no such runner, or it
            is not installed.
    """
    beam = import_beam()
    given = {option.partition("=")[0] for option in options}
    local = () if "--runner" in given else (o for o in LOCAL if o.partition("=")[0] not in given)
    flags, parsed = [*local, *options], []
    found = beam.options.pipeline_options.PipelineOptions(flags)
    try:
        with contextlib.redirect_stderr(io.StringIO()) as said:  # argparse prints its whole usage
            runner = found.get_all_options(
                add_extra_args_fn=lambda parser: parsed.append(parser.parse_known_args(flags)),
                retain_unknown_options=True,  # else Beam logs them
            )["runner"]
    except SystemExit:
        reason = said.getvalue().strip().rpartition("error: ")[2]
        raise UsageError(f"options of Apache Beam: {reason}") from None
    if runner:
        try:
            beam.runners.create_runner(runner)
        except (ValueError, ImportError, AttributeError) as error:
            raise UsageError(f"runner {runner!r} of Apache Beam: {error}") from None
    known, others = parsed[0]
    for other in others:
        name = other.partition("=")[0].lstrip("-")
        where = "All are in the documentation of its PipelineOptions."
        error = unknown("option of Apache Beam", name, vars(known), where)
        if runner is None or "direct" in runner.lower():
            raise error
        logger.warning("%s %s gets it as it is.", error, runner)  # another program may know it
    return found


def usage_error_in(error: Exception) -> UsageError | None:
    """A worker's error message for the user, from inside its report; None if there is none."""
    cause = re.search(r"UsageError: (.*?)(?: \[while running|$)", str(error), re.M)
    return UsageError(cause[1]) if cause else None
