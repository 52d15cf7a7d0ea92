"""A command as typed, run in this process."""

import contextlib
import io

from fallax.cli import main


def shell(*words: object) -> str:
    """What the command prints on standard output; it must succeed."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(w) for w in words])
        except SystemExit as stop:
            code = int(stop.code or 0)
    assert code == 0, err.getvalue()
    return out.getvalue()
