#!/usr/bin/env python3
"""Every public header compiles alone in C and C++; every operator as C11, C++17 and, if NVCC is given, by nvcc, whose
PTX must hold no call (in short, ORDO_TEST_QUICK, with its first type of weights). usage: headers_test.py SOURCE_ROOT NVCC"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root, nvcc = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
include = root / "framework" / "include"
warnings = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
failures = 0
passed = 0


def compiles(what, command, text, suffix):
    global failures, passed
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / ("unit" + suffix)
        source.write_text(text)
        out = pathlib.Path(directory) / "out"
        run = subprocess.run(command + [f"-I{include}", f"-I{root}", str(source), *(["-o", str(out)] if "-ptx" in command else [])],
                             capture_output=True, text=True)
        if run.returncode == 0:
            passed += 1
            return out.read_text(errors="replace") if "-ptx" in command else ""
        failures += 1
        print(f"FAILED {what}\n" + "\n".join((run.stdout + run.stderr).splitlines()[:12]))
        return ""


# what optimisation warns of is seen where the library and the gallery are compiled
c = ["gcc", "-std=c11", "-fsyntax-only", *warnings]
# {0} and partial initialisers are C's; C++ takes them, with a warning that -Wextra turns on
cxx = ["g++", "-std=c++17", "-fsyntax-only", *warnings, "-Wno-missing-field-initializers"]
TEMPLATES = ["operator/relax.h", "operator/critical.h", "operator/gather.h", "detail/cpu/gather.h", "detail/cpu/ghosts.h", "detail/cpu/mode.h", "detail/cpu/residual.h", "detail/residual.h", "detail/written.h",
             "operator/each_weight.h", "scheduler/cpu.h", "detail/cpu/relax.h", "detail/cpu/cell.h", "detail/cpu/grow.h",
             "detail/cpu/critical.h", "detail/cpu/race.h", "detail/cpu/remote.h", "detail/run_time_unit.h", "detail/run_time_gather.h", "detail/run_time_relax.h", "detail/run_time_critical.h",
             "detail/run_time_instance.h"]  # end or follow an operator file
for header in sorted((include / "ordo").rglob("*.h")):
    name = str(header.relative_to(include / "ordo"))
    if name in TEMPLATES or name == "scheduler/cuda_host.h":  # needs CUDA
        continue
    text = f"#include <ordo/{name}>\n"
    compiles(f"{name} alone in C", c, text, ".c")
    compiles(f"{name} alone in C++", cxx, text, ".cc")


def is_refused(what, part, value, expected):
    """An operator with a wrong type gives one line that says what is expected, and nothing of the compiler's own."""
    global failures, passed
    parts = {"CELL": "u32", "WEIGHT": "u32", "ORDER": "ORDO_MIN", part: value}
    text = "#define ORDO_OP wrong\n#include <ordo/operator/operator.h>\n"
    text += "ORDO_FN ordo_u32 wrong_candidate(const ordo_no_state *s, ordo_u32 c, ordo_edge_u32 e)\n"
    text += "{\n    (void)s;\n    return c + e.weight;\n}\n"
    text += '#define ORDO_RELAX wrong\n#define ORDO_RELAX_SUMMARY "wrong"\n#define ORDO_RELAX_CANDIDATE wrong_candidate\n'
    text += "#define ORDO_RELAX_PROPERTIES ORDO_MONOTONE\n"
    if part == "CELL_STRUCT":
        del parts["CELL"]
        text = text.replace("ORDO_FN ordo_u32 wrong", "typedef struct odd { ordo_u32 a, b, c; } odd;\nORDO_FN odd wrong").replace("ordo_u32 c, ", "odd c, ")
        text = text.replace("return c + e.weight;", "c.a += e.weight;\n    return c;")
        if value == "odd":
            parts["ORDER"] = "ORDO_BY_COMPARATOR"
            text += "ORDO_FN int odd_better(odd x, odd y) { return x.a < y.a; }\nORDO_FN odd odd_worst(void) { odd x = {1, 1, 1}; return x; }\n"
            text += "ORDO_FN double odd_priority(const ordo_no_state *s, ordo_item i, odd x) { (void)s; (void)i; return x.a; }\n"
            parts.update(BETTER="odd_better", WORST="odd_worst", PRIORITY="odd_priority")
    text += "".join(f"#define ORDO_RELAX_{name} {token}\n" for name, token in parts.items())
    text += "#include <ordo/operator/relax.h>\n#include <ordo/scheduler/cpu.h>\n#include \"schedulers/delta/cpu.h\"\n"
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / "wrong.c"
        source.write_text(text)
        run = subprocess.run(["gcc", "-std=c11", "-fsyntax-only", f"-I{include}", f"-I{root}", str(source)],
                             capture_output=True, text=True)
    errors = [line for line in run.stderr.splitlines() if "error" in line and ": error: " in line]
    if run.returncode != 0 and len(errors) == 1 and expected in errors[0]:
        passed += 1
        return
    failures += 1
    print(f"FAILED {what}: found {len(errors)} errors, expected one with '{expected}'\n" + "\n".join(errors[:12]))


is_refused("cells of an unknown type", "CELL", "u16", "expected u32, i32, f32, u64, i64 or f64")
is_refused("cells of a type by its C name", "CELL", "ordo_u32", "expected u32, i32, f32, u64, i64 or f64")
is_refused("weights of an unknown type", "WEIGHT", "u8", "expected u32, i32, f32, i64, f64 or none")
is_refused("weights of 64 bits", "WEIGHT", "u64", "expected u32, i32, f32, i64, f64 or none")
is_refused("cells of a struct of 12 bytes", "CELL_STRUCT", "odd", "no struct of 4, 8 or 16 bytes")
gallery = [path for path in sorted((root / "operators" / "gallery").glob("*.h")) if path.name != "drivers.h"]
for operator in [*sorted((root / "operators").glob("*.h")), *gallery]:
    template = "#ifndef ORDO_WEIGHT" in operator.read_text()
    types = re.search(r"define ORDO_WEIGHT as ([a-z0-9, ]*)\"", operator.read_text())  # "u32, i32 or f32"
    gathers = "#define ORDO_GATHER " in operator.read_text()
    weights = (re.split(", | or ", types[1]) if types else ["u32", "i32", "f32"]) if template else [""]
    for weight in weights:
        name = operator.stem + (f"_{weight}" if weight else "")
        text = f"#define ORDO_OP {name}\n"
        text += f"#define ORDO_WEIGHT {weight}\n" if weight else ""
        text += f'#include "{operator.relative_to(root)}"\n'
        compiles(f"{name} in C", c, text, ".c")
        compiles(f"{name} in C++", cxx, text, ".cc")
        if operator not in gallery:  # each alone is a unit of the library
            schedulers = sorted((root / "schedulers").glob("*/gather.h" if gathers else "*/cpu.h"))
            whole = "".join(f"#include \"schedulers/{scheduler.parent.name}/{scheduler.name}\"\n" for scheduler in schedulers)
            compiles(f"{name} under {len(schedulers)} schedulers in C++", cxx, f"{text}#include <ordo/scheduler/cpu.h>\n{whole}", ".cc")
        if nvcc and (weight == weights[0] or "ORDO_TEST_QUICK" not in os.environ):
            kernel = text
            if gathers:
                kernel += (
                    f"__global__ void use(const op_state *s, op_cell *cell, op_value *value, const double *total, double *change) {{\n"
                    f"  op_edge e = op_make_edge(threadIdx.x, cell[0] != 0, threadIdx.y, value);\n"
                    f"  op_cell old = cell[1];\n"
                    f"  value[1] = op_edge_value(s, op_share_of(s, e.tail, old), e);\n"
                    f"  cell[1] = op_apply(s, e.head, old, value[1], total);\n"
                    f"  change[0] = op_change(s, e.head, old, cell[1]) - op_tolerance(s) + op_most_rounds(s);\n"
                    "}\n")
            elif "ORDO_SUM" in operator.read_text():
                kernel += (
                    f"__global__ void use(const op_state *s, op_cell *cell, const ordo_u32 *w) {{\n"
                    f"  op_edge e = op_make_edge(threadIdx.x, cell[0] != 0, threadIdx.y, w);\n"
                    f"  if (!op_filter(s, e.tail) || !op_level(s, cell[1])) return;\n"
                    f"  cell[e.head] += op_candidate(s, op_take(s, e.tail, cell[1]), e);\n"
                    f"  if (op_priority(s, e.head, cell[1]) > 1.0) cell[2] = op_spent();\n"
                    "}\n")
            elif "ORDO_RELAX" in operator.read_text():
                kernel += (
                    f"__global__ void use(const op_state *s, op_cell *cell, const ordo_u32 *w) {{\n"
                    f"  op_edge e = op_make_edge(threadIdx.x, cell[0] != 0, threadIdx.y, w);\n"
                    f"  op_cell c = op_candidate(s, cell[1], e);\n"
                    f"  if (op_filter(s, e.tail) && op_better(c, cell[op_target(s, e)]))\n"
                    f"    cell[op_target(s, e)] = c;\n"
                    f"  if (op_priority(s, e.head, c) > 1.0 || op_is_final(s, e.head, c)) cell[2] = op_worst();\n"
                    + ("  ordo_growing g = {(ordo_grow_pool *)w, e.tail, 0};\n  op_grow(s, e.tail, c, &g);\n  cell[3] = g.last;\n"
                       if "ORDO_RELAX_GROW" in operator.read_text() else "") + "}\n")
            else:
                kernel += (
                    f"__global__ void use(const op_state *s, op_request *r, ordo_activation *a, ordo_u32 *n) {{\n"
                    f"  n[0] = op_prepare(s, threadIdx.x, r);\n"
                    f"  n[1] = op_commit(s, r, a);\n"
                    "}\n")
            ptx = compiles(f"{name} by nvcc", [nvcc, "-std=c++17", "-arch=sm_80", "-ptx"], kernel, ".cu")
            if re.search(r"^\s*call", ptx, re.M):
                failures += 1
                print(f"FAILED {name}: its PTX holds a call")
compiles("drivers.h of the gallery in C", c, '#include "operators/gallery/drivers.h"\n', ".c")
compiles("drivers.h of the gallery in C++", cxx, '#include "operators/gallery/drivers.h"\n', ".cc")
print(f"{passed} passed, {failures} failed")
sys.exit(1 if failures else 0)
