#!/bin/sh
# Build wheel and sdist, install each into an empty environment as a new user with an empty HOME and no cache, and run
# each shell line of the README there. Writes what was typed, what came, the exit status and the seconds as a page.
#
#   sh scripts/check_install.sh [PAGE] [FOLDER]      (needs the network of pip; keeps its files in FOLDER)
#
# As root the lines run as another user, who owns nothing but HOME; PYTHON must be one that this user can read.
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
page=${1:-/dev/null}
work=${2:-$(mktemp -d)}
python=${PYTHON:-python3}
mkdir -p "$work/dist" "$work/home"
chmod 755 "$work"

user=
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
  user="setpriv --reuid=61000 --regid=61000 --clear-groups"
  chown 61000:61000 "$work/home"
fi

clean() { # a shell of the new user that knows nothing of this one, but for how to reach the package index
  env -i HOME="$work/home" PATH="$1/bin:/usr/local/bin:/usr/bin:/bin" LANG=C.UTF-8 TERM=xterm COLUMNS=80 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} \
    ${PIP_CONFIG_FILE:+PIP_CONFIG_FILE="$PIP_CONFIG_FILE"} ${PIP_CERT:+PIP_CERT="$PIP_CERT"} \
    ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} $user sh -c "$2"
}

failed=0
line() { # environment, folder, what is typed, most lines that are shown
  begun=$(date +%s)
  status=0
  clean "$1" "cd '$2' && $3" > "$work/output" 2>&1 < /dev/null || status=$?
  seconds=$(($(date +%s) - begun))
  [ "$status" = 0 ] || failed=1
  printf '[%s, %s s] %s\n' "$status" "$seconds" "$3"
  [ "$status" = 0 ] || sed 's/^/    /' "$work/output"
  {
    printf '```console\n$ %s\n' "$3" | sed "s#$work/##"
    "$python" -c 'if True:
      import sys
      name, most, work = sys.argv[1:]
      lines = open(name, encoding="utf-8", errors="replace").read().replace(work, "").splitlines()
      for line in lines[: int(most)]:
          print(line.rstrip() if len(line) <= 160 else line[:159] + "…")
      if len(lines) > int(most):
          print(f"[{len(lines) - int(most)} more lines]")' "$work/output" "$4" "$work/"
    printf '[exit status %s, %s s]\n```\n\n' "$status" "$seconds"
  } >> "$work/page"
}

"$python" -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check build
"$work/build/bin/python" -m build --quiet --outdir "$work/dist" "$top"
ls -l "$work/dist"

awk '/^```sh$/ {on=1; next} /^```/ {on=0} on' README.md | sed 's/  *#.*//' | grep -E '^(fallax|cat|echo) ' > "$work/lines"
awk '/^```python$/ {on=1; next} /^```/ {on=0} on' README.md > "$work/readme.py"
{
  printf '# Installed as a new user\n\n'
  printf '`sh scripts/check_install.sh docs/installed.md` writes this page. It builds wheel and sdist from the repository, installs\n'
  printf 'each in an empty environment of a user with an empty home, and runs the commands of the README one by one. The page shows\n'
  printf 'what they print and how many seconds they take. This was %s on %s cores.\n\n' "$("$python" --version)" "$(nproc)"
} > "$work/page"
for what in "$work"/dist/*.whl "$work"/dist/*.tar.gz; do
  kind=wheel most=8
  [ "$what" = "${what%.whl}" ] && kind=sdist most=2 # they print the same
  printf '== %s\n' "$(basename "$what")"
  printf '## From the %s\n\n' "$kind" >> "$work/page"
  place="$work/home/$kind"
  mkdir -p "$work/home/try-$kind"
  cp -r examples "$work/readme.py" "$work/home/try-$kind/"
  [ -z "$user" ] || chown -R 61000:61000 "$work/home/try-$kind"
  line "$(dirname "$(dirname "$(command -v "$python")")")" "$work/home" "$(command -v "$python") -m venv '$place'" 3
  # the modules are compiled when they are first read, which takes less time than all of them beforehand
  line "$place" "$work/home" "pip install --quiet --no-compile '$what'" 3
  while IFS= read -r typed; do
    line "$place" "$work/home/try-$kind" "$typed" $most
  done < "$work/lines"
  line "$place" "$work/home/try-$kind" "python readme.py" $most
done

printf '== from a clone\n'
printf '## From a clone\n\n' >> "$work/page"
tar -xzf "$work"/dist/*.tar.gz -C "$work/home"
tree=$(echo "$work"/home/fallax-*)
[ -z "$user" ] || chown -R 61000:61000 "$tree"
line "$work/home/sdist" "$tree" "make demo" 8
line "$work/home/sdist" "$work/home" "python -m venv tools && tools/bin/pip install --quiet pipx" 3
line "$work/home/tools" "$tree" "pipx install ." 8
line "$work/home/.local" "$tree" "$(grep -m 1 '^echo ' "$work/lines")" 8
cat "$work/page" > "$page"
exit $failed
