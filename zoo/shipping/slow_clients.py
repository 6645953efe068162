"""Ends connections whose clients send their request too slowly, which uvicorn would keep open."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10  # for the headers of a request, and again for its body
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class HeadersInTime(H11Protocol):
    """uvicorn's HTTP protocol, which also ends a connection whose headers do not arrive in time."""

    _deadline = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:  # the headers have arrived
            self._wait_no_longer()
        elif self._deadline is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_longer()
        super().connection_lost(exc)

    def _wait(self):
        self._deadline = self.loop.call_later(SECONDS, self._end)

    def _wait_no_longer(self):
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self):
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()
