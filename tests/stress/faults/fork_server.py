"""Runs zoo's command line in processes that have TensorFlow imported already, and kills them.

Jobs come as lines of JSON on standard input, and a line for each goes to standard output when its
process has ended. Run by ``conftest.py``.

A process can be killed just before its n-th touch of a folder: a file there opened for writing, a
name changed, made or removed. So each moment between two states of the disk can be had.
"""

import json
import os
import signal
import sys
import traceback

TOUCHES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def count_touches(folder, fatal, tell):
    """Counts the touches of a folder, and kills this process before the one that is ``fatal``."""
    number = 0

    def hear(event, arguments):
        nonlocal number
        if event not in TOUCHES or (event == "open" and not arguments[2] & WRITING):
            return
        if isinstance(arguments[0], int) or folder not in os.fsdecode(arguments[0]):
            return
        number += 1
        tell(number)
        if number == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)


def run(job):
    """The process: zoo with the arguments of the job."""
    for stream, path in ((1, job["out"]), (2, job["err"])):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    counted = os.open(job["touched"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    count_touches(job["folder"], job["fatal"], lambda n: os.pwrite(counted, str(n).encode(), 0))
    os.environ.update(job["environment"])
    os.umask(job["umask"])
    sys.argv = ["zoo", *job["arguments"]]
    from zoo.cli.commands import main

    main()


def fork(job):
    child = os.fork()
    if child:
        return child
    code = 0
    try:
        run(job)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main():
    import zoo.evaluation.prediction
    import zoo.evaluation.scores
    import zoo.shipping.formats
    import zoo.shipping.saved_model
    import zoo.training.trainer
    import zoo.training.tuning  # noqa: F401

    for line in sys.stdin:
        job = json.loads(line)
        if job["do"] == "start":
            child = fork(job)
            print(json.dumps(child), flush=True)
        else:
            _, status = os.waitpid(job["child"], 0)
            print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)


if __name__ == "__main__":
    main()
