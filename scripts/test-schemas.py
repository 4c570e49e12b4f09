#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the program prints with --json fits docs/schemas: test-schemas.py PROGRAM

The schemas allow no key that they do not have, so that a new one has to be documented. Needs jsonschema."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The schema, and a call whose document it describes; from success to failures of every kind.
CALLS = (
    ("simulate", "simulate examples/bouncing_ball.mo"),
    ("simulate", "simulate examples/linkage.mo --timing"),
    ("simulate", "simulate problems/pendulum.mo --method direct"),
    ("simulate", "simulate problems/pendulum.mo --start x=0.8 --start y=0.8"),
    ("simulate", "simulate problems/impasse.mo"),
    ("simulate", "simulate problems/lock_up.mo"),
    ("simulate", "simulate problems/pendulum.mo --max-steps 3"),
    ("analyze", "analyze problems/pendulum.mo"),
    ("analyze", "analyze problems/torus.mo"),
    ("analyze", "analyze examples/linkage.mo"),
    ("analyze", "analyze examples/rlc.mo --structure"),
    ("analyze", "analyze problems/pendulum.mo --start x=3"),
    ("compare", "compare problems/pendulum.mo --methods ggl,direct,index1 --tolerances 1e-4,1e-6"),
    ("sweep", "sweep examples/bouncing_ball.mo -p e=0.5,0.7"),
    ("solve-bvp", "solve-bvp examples/swing_up.mo"),
    ("solve-bvp", "solve-bvp examples/swing_up.mo --max-mesh 20"),
    ("info", "info examples/linkage.mo"),
    ("info", "info examples/bouncing_ball.mo"),
    ("methods", "methods"),
    ("reproduce", "reproduce ascher-lin"),
    ("error", "simulate no-such-file.mo"),
    ("error", "simulate problems/pendulum.mo --method no-such-method"),
    ("error", "simulate problems/pendulum.mo --no-such-option"),
    ("error", "analyze -"),
    ("error", "info -"),
)
ROWS = "simulate examples/bouncing_ball.mo --quiet -o"
WRONG_TEXT = "model Wrong Real x; equation der(x) = y; x = z; end Wrong;"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    schemas = {path.stem: json.loads(path.read_text()) for path in (ROOT / "docs/schemas").glob("*.json")}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    unused = set(schemas) - {name for name, _ in CALLS} - {"rows"}
    troubles = [f"docs/schemas/{name}.json: no call is checked against it" for name in sorted(unused)]
    words = re.findall(r"^\| `([\w-]+)` \|", (ROOT / "docs/statuses.md").read_text(), re.M)
    if schemas["simulate"]["properties"]["status"]["enum"] != words:
        troubles.append("docs/schemas/simulate.json: its statuses are not those of docs/statuses.md")
    for name, call in CALLS:
        run = subprocess.run([program, *call.split(), "--json"], cwd=ROOT, input=WRONG_TEXT, capture_output=True,
                             text=True, check=False)
        for error in jsonschema.Draft202012Validator(schemas[name]).iter_errors(json.loads(run.stdout)):
            troubles.append(f"daedal {call}: {error.json_path}: {error.message[:300]}")
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder, "rows.json")
        subprocess.run([program, *ROWS.split(), str(rows)], cwd=ROOT, check=True)
        for error in jsonschema.Draft202012Validator(schemas["rows"]).iter_errors(json.loads(rows.read_text())):
            troubles.append(f"daedal {ROWS}: {error.json_path}: {error.message[:300]}")
    print("\n".join(troubles + [f"{len(CALLS) + 1} documents, {len(schemas)} schemas"]))
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
