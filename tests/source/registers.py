"""registers.py LIBRARY STAMP -- fails where a kernel of the CUDA back end works in local memory.

Local memory is where registers go that a launch shape does not leave: a scheduler whose kernel spills in its inner loop is
several times as slow, and looks right. 16 bytes are let pass: a word or two of what is kept outside of loops, and more in kernels of
traced runs (a last template argument of true), which must hold as many blocks as those without. Kernels of gather operators keep what rounds need outside of their loops there, where 1024 threads share a
multiprocessor's registers with as many others. So is what is there by number: the requests of a visit that may ask for several, and what their sections activate. Asks
cuobjdump, for machine code alone; without it says so, and nothing is checked.
"""
import glob
import re
import shutil
import subprocess
import sys

MOST, TRACED, HUBS = 16, 8, 32
BY_NUMBER = {  # requests; activations, up to a multiple of 16; messages. The first whose name fits
    "discharge_apart_critical_both": 8 * 32 + 3 * 24,
    "discharge_critical_both": 8 * 32 + 3 * 24,
    "discharge_apart_lock_server": 8 * 32 + 14 * 16 + 8 * 32,
    "discharge_lock_server": 8 * 32 + 4 * 8 + 8 * 32,
    "discharge": 8 * 32 + 6 * 16,
    "dining": 3 * 56 + 32,  # a request of eight targets, its copies, the indices of their locks
    "bank": 64,  # a request of two targets, where a launch shape leaves 32 to 48 registers
    "hash_table": 24,
    "colour": 40,  # place in the rows of a warp's items, where a launch shape leaves 64 or 80 registers
}
# By a part of the name. Passes of mesh refinement: exact sums, whose lengths depend on the points; three numbers of a
# triangle by their index. cc_rest with four blocks a multiprocessor: the ends of rows that wait for the one that is linked.
NAMED = {"mesh_look_on_device": 2048, "mesh_apply_on_device": 32, "mesh_left_on_device": 32, "mesh_first_on_device": 32,
         "cc_restILb1E": 8, "mix_row": 64,  # the order of a row of a network, by number
         # cells, shares and sums of 8 bytes take two registers each; over ranks with the address in another one's memory
         "pagerank_pull_f64_op_gather_kernel": 32,
         # over several GPUs with 48 registers: with 64 and none of it Bellman-Ford took 1.02 to 1.05 of the time, two H100
         "bsp_ranks_kernel": 48,
         "bfs_bsp_kernel": 32}  # of capability 7.5 to 8.9; of 9.0 and 10.0 it has none


def main(library, stamp):
    cuobjdump = shutil.which("cuobjdump") or next(iter(glob.glob(f"{sys.prefix}/lib/python3*/site-packages/nvidia/cu*/bin/cuobjdump")), None)
    if not cuobjdump:
        print("registers.py: no cuobjdump, kernels are not checked")
    else:
        text = subprocess.run([cuobjdump, "--dump-resource-usage", library], check=True, capture_output=True,
                              text=True).stdout
        spills = set()
        arch = "?"
        for line in text.splitlines():
            found = re.match(r"arch = (\S+)", line)
            arch = found[1] if found else arch
            found = re.search(r"Function (\S+):", line)
            name = found[1] if found else name if "REG:" in line else ""
            found = re.search(r"REG:(\d+) STACK:(\d+)", line)
            known = re.search(r"[a-z][a-z0-9_]*_kernel", name)
            room = next((BY_NUMBER[k] for k in BY_NUMBER if known and known[0].startswith(k + "_")), 0)
            room += next((NAMED[k] for k in NAMED if k in name), 0)
            room += HUBS if "gather_kernel" in name else 0
            room += TRACED if re.search(r"_kernelI(?:Lb[01]E)*Lb1EE", name) else 0
            if found and int(found[2]) > MOST + room:
                spills.add(f"{known[0] if known else name} for {arch}: {found[2]} bytes of local memory, {found[1]} registers")
        if spills:
            sys.exit("\n".join(["registers.py: kernels that spill, expected at most "
                                f"{MOST} bytes (give them fewer threads or blocks):", *sorted(spills)]))
    with open(stamp, "w", encoding="utf-8") as out:
        out.write("checked\n")


main(*sys.argv[1:])
