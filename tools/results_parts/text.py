"""Figures and files of figures as text, for tools/results and tools/bench."""
import json

TIE = 1.3  # medians of one table that are nearer than this are ties (docs/methods.md)


def number(x):
    """Three digits."""
    if x >= 1000:
        return thousands(round(x))
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def thousands(n):
    return f"{n:,}".replace(",", " ")


def cell(of, best, star=""):
    text = f"{number(of['median'])} ({number(of['least'])} to {number(of['most'])})"
    return (f"**{text}**" if best else text) + star


def dump(result):
    """JSON with an entry a line, so that changes can be read."""
    def one(value):
        return json.dumps(value, ensure_ascii=False)
    parts = []
    for key, value in result.items():
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        if not items or not all(isinstance(item, dict) for item in items):
            parts.append(f" {one(key)}: {one(value)}")
        elif isinstance(value, list):
            parts.append(f" {one(key)}: [\n" + ",\n".join("  " + one(item) for item in value) + "\n ]")
        else:
            parts.append(f" {one(key)}: {{\n" + ",\n".join(f"  {one(k)}: {one(item)}" for k, item in value.items()) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"
