#!/bin/sh
# Build a wheel, install `fallax[serve]` from it into an empty environment, start `fallax serve` there as a new user with
# an empty HOME, and print the seconds until its page answers: the first start, which compiles the modules, and two more.
#
#   sh scripts/check_serve_start.sh [FOLDER] [SECONDS]   (needs the network of pip; fails where a later start takes longer)
set -eu
cd "$(dirname "$0")/.."
work=${1:-$(mktemp -d)}
most=${2:-3}
mkdir -p "$work/home" "$work/dist"
python=${PYTHON:-python3}

"$python" -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check build
"$work/build/bin/python" -m build --quiet --wheel --outdir "$work/dist" .
"$python" -m venv "$work/env"
wheel=$(ls "$work"/dist/*.whl)
"$work/env/bin/pip" install --quiet --disable-pip-version-check "$wheel[serve]"

HOME="$work/home" "$work/env/bin/python" -I - "$work/env/bin/fallax" "$most" <<'PYTHON'
import subprocess, sys, time, urllib.request

command, most = [sys.argv[1], "serve", "--no-open", "--port", "0"], float(sys.argv[2])
seconds = []
for _ in range(3):
    begun = time.monotonic()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().partition(": ")[2].strip()
        with urllib.request.urlopen(address + "examine", timeout=60) as page:
            assert b"<title>" in page.read()
        seconds.append(time.monotonic() - begun)
    finally:
        server.terminate()
        server.wait()
print("seconds until the page answers:", ", ".join(f"{s:.2f}" for s in seconds))
sys.exit(max(seconds[1:]) > most)
PYTHON
