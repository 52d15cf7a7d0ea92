"""Size limits on HTTP responses, so that a hostile or broken server cannot fill the memory."""

from __future__ import annotations

import zlib
from typing import Any

__all__ = ["MAX_REPLY_BYTES", "ReplyTooLargeError", "inflate", "read_capped"]

#: The largest body that is read, before and after it is decompressed. The longest answers with log-probabilities of
#: 20 alternatives for each of 32,000 tokens stay below it.
MAX_REPLY_BYTES = 48 << 20


class ReplyTooLargeError(Exception):
    """A body larger than :data:`MAX_REPLY_BYTES`, or with an encoding that was not requested."""


def inflate(body: bytes, encoding: str, limit: int) -> bytes:
    """Decode a body, at most N bytes of it.

    Raises
    ------
    ReplyTooLargeError : it is larger, damaged, or in another encoding than gzip and deflate.

    Examples
    --------
    >>> inflate(zlib.compress(b"yes"), "deflate", 100), inflate(b"yes", "", 100)
    (b'yes', b'yes')
    """
    for name in reversed([e.strip().lower() for e in encoding.split(",") if e.strip()]):
        if name == "identity":
            continue
        if name not in ("gzip", "x-gzip", "deflate"):
            raise ReplyTooLargeError(f"the reply is encoded as {name[:20]!r}, which was not asked for")
        # 32 + 15: zlib and gzip headers are both recognised; some servers send deflate without any
        raw = name == "deflate" and (len(body) < 2 or (body[0] & 15) != 8 or ((body[0] << 8) + body[1]) % 31 != 0)
        unpacker = zlib.decompressobj(-15 if raw else 47)
        try:
            found = unpacker.decompress(body, limit + 1)
        except zlib.error as error:
            raise ReplyTooLargeError(f"the reply says that it is {name} and is not: {error}") from None
        if len(found) > limit:
            raise ReplyTooLargeError(f"the reply is larger than {limit >> 20} MiB once decompressed")
        body = found
    return body


async def read_capped(response: Any) -> None:
    """Read the body of every HTTP response within the limit."""
    body = bytearray()
    async for block in response.aiter_raw():
        body += block
        if len(body) > MAX_REPLY_BYTES:
            raise ReplyTooLargeError(f"the reply is larger than {MAX_REPLY_BYTES >> 20} MiB")
    # The client looks for what is read here before it reads; there is no public way to give it a body.
    response._content = inflate(bytes(body), response.headers.get("content-encoding", ""), MAX_REPLY_BYTES)
