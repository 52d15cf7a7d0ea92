#!/bin/sh
# Build wheel and sdist, install each into an empty environment as a new user with an empty HOME, and run each shell
# line of the README there. Prints each line, its exit status, seconds and first lines of output.
#
#   sh scripts/check_install.sh [FOLDER]      (needs the network of pip; keeps its files in FOLDER)
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work/home" "$work/dist"
python=${PYTHON:-python3}

clean() { # a shell that knows nothing of this one, but for how to reach the package index
  env -i HOME="$work/home" PATH="$1/bin:/usr/local/bin:/usr/bin:/bin" LANG=C.UTF-8 \
    ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CONFIG_FILE:+PIP_CONFIG_FILE="$PIP_CONFIG_FILE"} \
    ${PIP_CERT:+PIP_CERT="$PIP_CERT"} ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} sh -c "$2"
}

"$python" -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check build
"$work/build/bin/python" -m build --quiet --outdir "$work/dist" "$top"
ls -l "$work/dist"

failed=0
for what in "$work"/dist/*.whl "$work"/dist/*.tar.gz; do
  place="$work/env-${what##*.}"
  echo "== $(basename "$what")"
  "$python" -m venv "$place"
  begun=$(date +%s)
  clean "$place" "pip install --quiet --disable-pip-version-check '$what'"
  echo "installed in $(($(date +%s) - begun)) s"
  mkdir -p "$work/try"
  cp -r examples "$work/try/"
  awk '/^```sh$/ {on=1; next} /^```/ {on=0} on' README.md | sed 's/  #.*//' |
    grep -E '^(fallax|cat|echo) ' > "$work/lines"
  [ "$what" = "${what%.whl}" ] && head -4 "$work/lines" > "$work/some" && mv "$work/some" "$work/lines"
  while IFS= read -r line; do
    begun=$(date +%s)
    status=0
    clean "$place" "cd '$work/try' && $line" > "$work/output" 2>&1 < /dev/null || status=$?
    echo "[$status, $(($(date +%s) - begun)) s] $line"
    if [ "$status" != 0 ]; then failed=1; sed 's/^/    /' "$work/output" | head -20; else sed 's/^/    /' "$work/output" | cut -c 1-100 | head -2; fi
  done < "$work/lines"
done
exit $failed
