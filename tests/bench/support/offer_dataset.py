#!/usr/bin/env python3
"""Makes the data for the ranking of tools out of public data: function calls and the requests that lead to them, from the
Berkeley Function Calling Leaderboard (package bfcl-eval, Apache-2.0).

usage: offer_dataset.py WHEEL FOLDER

Writes tools.jsonl, a catalogue as Toolgate takes it: {"name","description","input"}. A description has those of the
fields at its end, as `field: what it is`. Writes dev.jsonl and test.jsonl, the requests: {"id","category","text","gold"}, in
halves by a hash of the id, so that nobody chooses which request is in which half.
"""
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path

# Of each request one function is right and several are offered, or one is.
KINDS = ("live_multiple", "multiple", "live_simple", "simple_python")
TYPES = {"string": "string", "integer": "integer", "float": "number", "number": "number", "boolean": "boolean"}
NAME_CHARS_MAX = 48
DESCRIPTION_CHARS_MAX = 2000


class Names:
    """Names of functions as names of tools, each once."""

    def __init__(self):
        self.of = {}
        self.taken = set()

    def add(self, function):
        words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", function).lower()
        name = re.sub(r"[^a-z0-9]+", "_", words).strip("_")
        if not re.match("[a-z]", name):
            name = "t_" + name
        if len(name) > NAME_CHARS_MAX:
            name = self.marked(name, function)
        while name in self.taken:
            name = self.marked(name, function + name)
        self.taken.add(name)
        self.of[function] = name
        return name

    @staticmethod
    def marked(name, what):
        return f"{name[: NAME_CHARS_MAX - 9]}_{hashlib.sha256(what.encode()).hexdigest()[:8]}"


def tool(name, function):
    schema = function.get("parameters", {})
    texts, fields = [function.get("description", "")], {}
    for key, field in (schema.get("properties") or {}).items():
        field = field if isinstance(field, dict) else {}
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", key)[:64]
        plain = plain if re.match("[A-Za-z_]", plain) else "f_" + plain
        optional = "" if key in schema.get("required", []) else "?"
        fields[plain] = TYPES.get(field.get("type"), "json") + optional
        if field.get("description"):
            texts.append(f"{key}: {field['description']}")
    return {"name": name, "description": " ".join(texts)[:DESCRIPTION_CHARS_MAX], "input": fields}


def read(wheel):
    """Tools and requests, in the order of the package."""
    tools, queries, names = [], [], Names()
    with zipfile.ZipFile(wheel) as package:

        def lines(file):
            return [json.loads(line) for line in package.read(f"bfcl_eval/data/{file}").decode().splitlines()]

        for kind in KINDS:
            answers = {row["id"]: row["ground_truth"] for row in lines(f"possible_answer/BFCL_v4_{kind}.json")}
            for row in lines(f"BFCL_v4_{kind}.json"):
                for function in row["function"]:
                    if function["name"] not in names.of:
                        tools.append(tool(names.add(function["name"]), function))
                called = [next(iter(call)) for call in answers.get(row["id"], [])]
                gold = [names.of[function] for function in called if function in names.of]
                text = " ".join(said["content"] for said in row["question"][0] if said["role"] == "user")
                if gold:
                    queries.append({"id": row["id"], "category": kind, "text": text, "gold": gold})
    return tools, queries


def half(query):
    return "test" if hashlib.sha256(query["id"].encode()).digest()[0] % 2 else "dev"


def main(wheel, folder):
    tools, queries = read(wheel)
    files = {"tools": tools, **{name: [query for query in queries if half(query) == name] for name in ("dev", "test")}}
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        Path(folder, f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
