#!/usr/bin/env python3
"""A function is short, or says why it is not: one whose body has more than 60 lines has a comment directly above it that
says "One function:" and the reason. Finds functions by their layout, which is clang-format's: a body begins and ends with a
brace alone in the first column.
usage: functions_test.py SOURCE_ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
LAYERS = ("framework", "schedulers", "operators", "apps")
LONGEST = 60  # lines between the braces
FUNCTION = re.compile(r"(/\*(?:[^*]|\*(?!/))*\*/\n)?"  # the comment
                      r"((?:[^\s/#{}].*\n|[ \t].*\n)+)"  # the declaration, indented where it goes on
                      r"\{\n((?:(?!\}).*\n)*)\}$", re.M)
REASON = re.compile(r"\bOne function:(?:\s|\*)+\w+")


def long_functions(text):
    """Of each: its line, its name, the lines of its body, and whether the reason is given. And how many there are in all."""
    found, count = [], 0
    for match in FUNCTION.finditer(text):
        count += 1
        length = match[3].count("\n")
        if length > LONGEST:
            name = re.findall(r"(\w+)\(", re.sub(r"__\w+__(?:\s*\([^)]*\)+)?", "", match[2]))
            found.append((text.count("\n", 0, match.start(2)) + 1, name[0] if name else "?", length, bool(REASON.search(match[1] or ""))))
    return found, count


def check_itself():
    """It finds what it is to find."""
    body = "{\n" + "    int i;\n" * (LONGEST + 1) + "}\n"
    for above, expected in (("", False), ("/* Long. */\n", False), ("/* One function: */\n", False), ("/* One function:\n * fast. */\n\n", False),
                            ("/* Long. One function:\n * a loop. */\n", True), ("/* One function: a loop. */\ntemplate <int N>\n", True)):
        for head in ("int f(int a)\n", "static __attribute__((noinline)) int f(int a,\n      int b)\n"):
            found, count = long_functions("#define X 1\n" + above + head + body + "\nint g(void)\n{\n}\n")
            if count != 2 or [(one[1], one[3]) for one in found] != [("f", expected)]:
                sys.exit(f"this test does not find what it is to find: {found} of {above + head}")
    if long_functions("int f(void)\n" + body.replace("    int i;\n", "", 1))[0]:
        sys.exit("this test refuses 60 lines")


check_itself()
failed = functions = 0
for path in sorted(path for layer in LAYERS for path in (root / layer).rglob("*") if path.suffix in (".c", ".h", ".cu", ".cuh")):
    text = path.read_text()
    found, count = long_functions(text)
    functions += count
    if count != len(re.findall(r"^\{$", text, re.M)):
        failed += 1
        print(f"FAILED {path.relative_to(root)}: {count} functions were found, but another number of bodies begins")
    for line, name, length, reason in found:
        if not reason:
            failed += 1
            print(f"FAILED {path.relative_to(root)}:{line}: {name} has {length} lines, expected {LONGEST} at most, or a comment "
                  "directly above with 'One function:' and the reason")
print(f"{functions} functions, {failed} failed")
sys.exit(failed > 0)
