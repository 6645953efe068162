"""What tests of servers have in common."""

import socket

import pytest


@pytest.fixture
def free_port():
    """On which nothing listens, on this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
