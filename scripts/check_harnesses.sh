#!/bin/sh
# Our task files and metadata in the tools of others: an environment of its own with Inspect AI, lm-evaluation-harness,
# mlcroissant and fallax from this tree; `inspect eval` with its mock model on every file of harness/inspect, `lm_eval`
# with its dummy model on every task of harness/lm_eval, mlcroissant on what `fallax data export --hf` and
# `fallax generate --fresh` write. Prints a line for each, and what went wrong; exit status 1 if something did.
#
#   sh scripts/check_harnesses.sh [FOLDER]      (keeps the environment in FOLDER; needs the network of pip to make it)
#
# Benchmarks whose data are in no file of this tree are tried where FALLAX_DATA is set.
set -u
cd "$(dirname "$0")/.."
top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env=${1:-$work/env}
unset PYTHONPATH
export HF_HUB_OFFLINE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 INSPECT_DISPLAY=plain COLUMNS=200

[ -x "$env/bin/pip" ] || "${PYTHON:-python3}" -m venv "$env" || exit 1
echo "environment: $env"
"$env/bin/pip" install -qq "$top[parquet]" inspect-ai lm-eval mlcroissant || exit 1
"$env/bin/pip" install -qq --no-deps --force-reinstall "$top" || exit 1
"$env/bin/pip" list 2> /dev/null | grep -E '^(fallax|inspect_ai|lm_eval|mlcroissant) ' | sed 's/^/  /'

failed=0
tried() { # NAME COMMAND...: a line with the last line of what it printed, or all of it if it failed
  name=$1
  shift
  if "$@" > "$work/said" 2>&1; then
    echo "ok      $name: $(tail -1 "$work/said")"
  else
    echo "FAILED  $name"
    tail -20 "$work/said" | sed 's/^/  /'
    failed=1
  fi
}

# Inspect's mock model counts tokens by a table that it would download; one of single bytes stands in for it.
mkdir -p "$work/bytes/tiktoken_ext"
cat > "$work/bytes/tiktoken_ext/openai_public.py" << 'PYTHON'
def o200k_base():
    ranks = {bytes([i]): i for i in range(256)}
    return {"name": "o200k_base", "pat_str": r"\S+|\s+", "mergeable_ranks": ranks, "special_tokens": {}}


ENCODING_CONSTRUCTORS = {"o200k_base": o200k_base}
PYTHON

cat > "$work/log.py" << 'PYTHON'
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log

(path,) = Path(sys.argv[1]).glob("*.eval")
log = read_eval_log(str(path))
if log.status != "success":
    sys.exit(f"status {log.status}: {log.error.message if log.error else ''}")
(score,) = log.results.scores
print(f"{log.results.completed_samples} samples, {score.unscored_samples} of them unreadable, {len(score.metrics)} measures")
PYTHON

inspect_eval() { # FILE -T ...
  file=$1
  shift
  rm -rf "$work/log"
  PYTHONPATH="$work/bytes" "$env/bin/inspect" eval "$file" --model mockllm/model --limit 3 --log-dir "$work/log" "$@" &&
    "$env/bin/python" "$work/log.py" "$work/log"
}

echo '{"id": "a", "text": "You are a fool.", "gold": [{"start": 0, "end": 15, "labels": ["Name_Calling,Labeling"]}]}' \
  > "$work/propaganda.jsonl"
echo '{"id": "a", "text_raw": "It is natural, so it is good.", "fallacy_exists": 1, "fallacy_type": "natural"}' \
  > "$work/touche.jsonl"
printf '%s\n' '{"id": "a", "document": "Fees rose in May.", "summary": "Fees rose.", "label": "faithful"}' \
  '{"id": "b", "document": "Fees rose in May.", "summary": "Fees fell.", "label": "unfaithful"}' > "$work/pairs.jsonl"

for path in harness/inspect/*.py; do
  name=$(basename "$path" .py)
  case $name in
    mafalda) tried "inspect eval $path" inspect_eval "$path" -T "data=$top/examples/gold.jsonl" ;;
    propaganda) tried "inspect eval $path" inspect_eval "$path" -T "data=$work/propaganda.jsonl" ;;
    faithfulness) tried "inspect eval $path" inspect_eval "$path" -T "file=$work/pairs.jsonl" ;;
    causal) tried "inspect eval $path" inspect_eval "$path" -T "set=$top/examples/verify/claims.jsonl" ;;
    smartypat | smartypat_quality) tried "inspect eval $path" inspect_eval "$path" -T "set=$top/examples/fallacies.jsonl" ;;
    touche) tried "inspect eval $path" inspect_eval "$path" -T "data=$work/touche.jsonl" ;;
    contrast) tried "inspect eval $path" inspect_eval "$path" ;;
    *)
      if [ -n "${FALLAX_DATA:-}" ]; then
        tried "inspect eval $path" inspect_eval "$path"
      else
        echo "-       inspect eval $path: not tried, needs FALLAX_DATA"
      fi
      ;;
  esac
done

lm_eval() { # TASK METADATA
  rm -rf "$work/results"
  "$env/bin/lm_eval" --model dummy --include_path "$top/harness/lm_eval" --tasks "$1" --metadata "$2" --limit 3 \
    --output_path "$work/results" && "$env/bin/python" - "$work/results" "$1" << 'PYTHON'
import json, sys
from pathlib import Path

(path,) = Path(sys.argv[1]).rglob("results_*.json")
found = json.loads(path.read_text())["results"][sys.argv[2]]
values = {name.removesuffix(",none"): v for name, v in found.items() if name.endswith(",none") and "stderr" not in name}
if not values:
    sys.exit("no values")
print(", ".join(f"{name} {value:.2f}" for name, value in values.items()))
PYTHON
}

for path in harness/lm_eval/*.yaml; do
  name=$(basename "$path" .yaml)
  case $name in
    fallax_mafalda) given="{\"data\": \"$top/examples/gold.jsonl\"}" ;;
    fallax_causal) given="{\"options\": {\"set\": \"$top/examples/verify/claims.jsonl\", \"classes\": 3}}" ;;
    *) given="{\"options\": {\"set\": \"$top/examples/fallacies.jsonl\"}}" ;;
  esac
  tried "lm_eval --tasks $name" lm_eval "$name" "$given"
done

croissant() { # FILE: validated, and its records read
  "$env/bin/mlcroissant" validate --jsonld "$1" && "$env/bin/python" - "$1" << 'PYTHON'
import sys

import mlcroissant

dataset = mlcroissant.Dataset(sys.argv[1])
for records in dataset.metadata.record_sets:
    n = sum(1 for _ in dataset.records(records.id))
    print(f"valid, {n} records read from {records.id}")
PYTHON
}

"$env/bin/fallax" data export examples/gold.jsonl --hf "$work/hf" --licence CC-BY-4.0 > "$work/said" 2>&1 || cat "$work/said"
tried "mlcroissant, fallax data export --hf" croissant "$work/hf/croissant.json"
if command -v swipl > /dev/null; then
  "$env/bin/fallax" generate --fresh --seed check -n 1 --output "$work/fresh" > "$work/said" 2>&1 || cat "$work/said"
  tried "mlcroissant, fallax generate --fresh" croissant "$work/fresh/croissant.json"
fi
exit $failed
