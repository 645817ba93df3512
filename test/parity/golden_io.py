"""Where golden values go and how they are spelled."""

import hashlib
import json
import pathlib
import re

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
GOLDEN = FIXTURES / "golden"


def write_json(name, value):
    """One line for each element of a list, so that a diff shows what changed."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    if isinstance(value, list):
        text = "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in value) + "\n]\n"
    else:
        text = json.dumps(value, indent=1) + "\n"
    (GOLDEN / name).write_text(text)


def write_bytes(name, data):
    path = GOLDEN / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return name


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def reason(error):
    """First line of TensorFlow's refusal, without the parts that differ from machine to machine."""
    try:
        text = str(error)
    except UnicodeDecodeError:
        return "refused"
    text = re.sub(r"\{\{function_node .*?\}\} ?", "", text.split("\n")[0])
    return re.sub(r" ?\[(Op:|type\.).*$| name: *$", "", text).strip()
