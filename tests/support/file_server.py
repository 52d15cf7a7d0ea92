"""A web server of this machine that serves bytes, and breaks off, lies or fails where it is told to."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer:
    """What it serves and what it was asked.

    Parameters
    ----------
    files : path -> bytes.
    break_after : path -> so many bytes are sent and the line is cut, each time until the number is taken away.
    etags : path -> the ETag; by default one that depends on the bytes.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.break_after: dict[str, int] = {}
        self.etags: dict[str, str] = {}
        self.ranges = True
        self.asked: list[tuple[str, str]] = []
        self.url = ""

    def etag(self, path: str) -> str:
        return self.etags.get(path, f'"{hash(self.files[path]) & 0xFFFFFFFF:08x}"')


def _handler(served: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            served.asked.append((self.path, wanted))
            self.close_connection = True
            if self.path not in served.files:
                self.send_error(404)
                return
            body, etag, start = served.files[self.path], served.etag(self.path), 0
            if wanted and served.ranges and self.headers.get("If-Range") == etag:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                if start >= len(body):
                    self.send_error(416)
                    return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.send_header("ETag", etag)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            self.end_headers()
            end = min(len(body), start + served.break_after.get(self.path, len(body)))
            self.wfile.write(body[start:end])

    return Handler


@contextmanager
def file_server(files: Mapping[str, bytes]) -> Iterator[FileServer]:
    """Serve files until the block ends."""
    served = FileServer(files)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
