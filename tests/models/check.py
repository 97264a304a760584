#!/usr/bin/env python3
"""Models of protocols, checked with Spin: those that must hold hold, those with a seeded fault are caught.
usage: check.py FOLDER [all]. Ends with 77 where spin or cc is not found. Without `all` those of more than half a million states are left
out; each has smaller ones of the same model. In short (ORDO_TEST_QUICK) each model has one case that holds and one fault."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

folder = pathlib.Path(sys.argv[1]).resolve()
if not shutil.which("spin") or not shutil.which("cc"):
    print("skipped: spin or cc not found")
    sys.exit(77)

LARGE = {"ahead.pml -DMEMBERS=3", "boxes.pml -DSTART=1", "boxes.pml -DWORKERS=2 -DLOOKS=0", "broker_queue.pml -DTWO_COUNTS", "claims.pml -DEACH=2", "claims.pml -DMEMBERS=3",
         "ghosts_cuda.pml -DROUNDS=3",
         "server_locks.pml -DREQUESTS=4 -DCREDIT=2", "server_nested.pml -DANSWERING=2 -DLOCKS=2 -DPATIENT",
         "inbox.pml -DW=3 -DDEPTH=1", "inbox_cuda.pml ", "race.pml -DEACH=2", "race.pml -DMEMBERS=3",
         "race.pml -DMEMBERS=3 -DNOT_ALONE", "race.pml -DOR -DHOT -DEACH=2", "race.pml -DOR -DHOT -DMEMBERS=3", "queues.pml -DTAKERS", "requests.pml ", "requests.pml -DVERTICES=2", "ranks_bulk.pml -DLAST=3", "ranks_shared.pml -DANY",
         "server_both_critical.pml -DSTART=2 -DQUIET",
         "server_locks.pml -DLOCKS=2", "server_locks.pml -DSERVERS=3", "share.pml ", "share.pml -DPLACES=3"}
# model, definitions, whether Spin must find an error
CASES = [
    ("ahead.pml", "", False),
    ("ahead.pml", "-DLAST=3", False),
    ("ahead.pml", "-DMEMBERS=3", False),
    ("ahead.pml", "-DVOTE_LATE", True),
    ("ahead.pml", "-DVOTE_AGAIN", True),
    ("boxes.pml", "", False),
    ("boxes.pml", "-DSTART=1", False),
    ("boxes.pml", "-DWORKERS=2 -DLOOKS=0", False),
    ("boxes.pml", "-DSTOP", False),
    ("boxes.pml", "-DSTART=1 -DLOST", True),
    ("boxes.pml", "-DSTART=1 -DONE_ROUND", True),
    ("boxes.pml", "-DCOUNT_LATE", True),
    ("boxes.pml", "-DPUBLISHED_EARLY", True),
    ("boxes.pml", "-DSTART=1 -DFREED_EARLY", True),
    ("boxes.pml", "-DSTART=1 -DUNCHECKED", True),
    ("boxes.pml", "-DSTART=1 -DREPORT_EARLY", True),
    ("boxes.pml", "-DSTART=1 -DDONE_EARLY", True),
    ("boxes.pml", "-DSTOP -DNOT_WAITED", True),
    ("broker.pml", "", False),
    ("broker.pml", "-DHINTS", False),
    ("broker.pml", "-DMEMBERS=3 -DDEPTH=1 -DHINTS", False),
    ("broker.pml", "-DCOUNT_LATE", True),
    ("broker.pml", "-DDONE_EARLY", True),
    ("broker.pml", "-DWAITS", True),
    ("broker_queue.pml", "", False),
    ("broker_queue.pml", "-DBATCH=2 -DTHREADS=2 -DCALLS=3 -DN=2", False),
    ("broker_queue.pml", "-DTWO_COUNTS", False),
    ("broker_queue.pml", "-DTWO_COUNTS -DBATCH=2 -DTHREADS=2 -DCALLS=3 -DN=2", False),
    ("broker_queue.pml", "-DTWO_COUNTS -DPROMISE_EARLY", True),
    ("broker_queue.pml", "-DGIVE_BACK", True),
    ("broker_queue.pml", "-DONCE", True),
    ("broker_queue.pml", "-DHEAD_LAST", True),
    ("broker_queue.pml", "-DUNASSURED", True),
    ("broker_queue.pml", "-DTURN_EARLY", True),
    ("queues.pml", "", False),
    ("queues.pml", "-DN=2", False),
    ("queues.pml", "-DTAKERS -DEACH=1", False),
    ("queues.pml", "-DTAKERS", False),
    ("queues.pml", "-DTAKERS -DEACH=1 -DANY_ORDER", True),
    ("queues.pml", "-DWAITS", True),
    ("carry.pml", "", False),
    ("carry.pml", "-DONE_STAGE", True),
    ("carry.pml", "-DONE_SET", True),
    ("carry.pml", "-DONE_COUNT", True),
    ("carry.pml", "-DTOLD_EARLY", True),
    ("carry.pml", "-DNOT_WAITED", True),
    ("carry.pml", "-DNUMBER_OF_MET", True),
    ("claims.pml", "", False),
    ("claims.pml", "-DMEMBERS=3", False),
    ("claims.pml", "-DEACH=2", False),
    ("claims.pml", "-DMEMBERS=3 -DNO_BARRIER", True),
    ("claims.pml", "-DANY", True),
    ("claims.pml", "-DSTALE", True),
    ("claims.pml", "-DMEMBERS=3 -DTORN", True),
    ("delta_ranks.pml", "", False),
    ("delta_ranks.pml", "-DSTEP_BOX", True),
    ("delta_ranks.pml", "-DMAIL_AGAIN", True),
    ("delta_ranks.pml", "-DSENT_LOST", True),
    ("delta_ranks.pml", "-DNOT_SAID", True),
    ("delta_ranks.pml", "-DWITHOUT", True),
    ("ghosts_cuda.pml", "", False),
    ("ghosts_cuda.pml", "-DROUNDS=3", False),
    ("ghosts_cuda.pml", "-DONE_ARRAY", True),
    ("ghosts_cuda.pml", "-DNOT_WAITED", True),
    ("ghosts_cuda.pml", "-DNOT_SENT", True),
    ("ghosts_cuda.pml", "-DSENT_LATE", True),
    ("ghosts_cuda.pml", "-DRELEASED_EARLY", True),
    ("ghosts_cuda.pml", "-DTWO_SUMS", True),
    ("ghosts_cuda.pml", "-DOWN_STOP", True),
    ("ghosts_cuda.pml", "-DNO_FIRST", True),
    ("grow.pml", "", False),
    ("grow.pml", "-DADDERS=3 -DVALUES=3", False),
    ("grow.pml", "-DNO_FENCE_PROCESS", True),
    ("grow.pml", "-DNO_FENCE_ADD", True),
    ("grow.pml", "-DREAD_FIRST", True),
    ("grow.pml", "-DSILENT", True),
    ("inbox.pml", "", False),
    ("inbox.pml", "-DSIZE=2", False),
    ("inbox.pml", "-DBY_PENDING", False),
    ("inbox.pml", "-DW=3 -DDEPTH=1", False),
    ("inbox.pml", "-DBY_PENDING -DCOUNT_LATE", True),
    ("inbox.pml", "-DRESET_FIRST", True),
    ("inbox.pml", "-DSHOW_EARLY", True),
    ("inbox.pml", "-DDEAF", True),
    ("inbox_cuda.pml", "", False),
    ("inbox_cuda.pml", "-DSTART=1 -DSIZE=2", False),
    ("inbox_cuda.pml", "-DSTART=1 -DWIDE", False),
    ("inbox_cuda.pml", "-DSTART=1 -DW=3", False),
    ("inbox_cuda.pml", "-DSTART=1 -DSTOP", False),
    ("inbox_cuda.pml", "-DSTART=1 -DCROWD", False),
    ("inbox_cuda.pml", "-DSTART=1 -DCROWD -DSTOP", False),
    ("inbox_cuda.pml", "-DCOUNT_LATE", True),
    ("inbox_cuda.pml", "-DOVERDRAWN", True),
    ("inbox_cuda.pml", "-DCREDIT_KEPT", True),
    ("inbox_cuda.pml", "-DUNTOLD", True),
    ("inbox_cuda.pml", "-DHOP_FORGOTTEN", True),
    ("inbox_cuda.pml", "-DNOT_PRESSED", True),
    ("inbox_cuda.pml", "-DDEAF", True),
    ("inbox_cuda.pml", "-DTOLD_EARLY", True),
    ("inbox_cuda.pml", "-DMET", True),
    ("inbox_cuda.pml", "-DHEAD_EARLY", True),
    ("inbox_cuda.pml", "-DWIDE -DITEM_FIRST", True),
    ("inbox_cuda.pml", "-DCROWD -DCROWD_WAITS", True),
    ("inbox_cuda.pml", "-DCROWD -DCROWD_EARLY", True),
    ("inbox_cuda.pml", "-DCROWD -DCROWD_PAID", True),
    ("inbox_cuda.pml", "-DSTOP -DSTART=1 -DDEAF_STOP", True),
    ("race.pml", "", False),
    ("race.pml", "-DMEMBERS=3", False),
    ("race.pml", "-DEACH=2", False),
    ("race.pml", "-DOR", False),
    ("race.pml", "-DOR -DHOT -DMEMBERS=3", False),
    ("race.pml", "-DOR -DHOT -DEACH=2", False),
    ("race.pml", "-DNO_BARRIER", True),
    ("race.pml", "-DANY", True),
    ("race.pml", "-DONE_KEY", True),
    ("race.pml", "-DMEMBERS=3 -DNOT_ALONE", True),
    ("race.pml", "-DOR -DNO_BARRIER", True),
    ("race.pml", "-DOR -DONE_KEY", True),
    ("race.pml", "-DOR -DDROP", True),
    ("letters.pml", "", False),
    ("letters.pml", "-DRANKS=3 -DEXCHANGES=3", False),
    ("letters.pml", "-DONE_SLOT", True),
    ("letters.pml", "-DSHOWN_EARLY", True),
    ("letters.pml", "-DREAD_LATER", True),
    ("ranks.pml", "", False),
    ("ranks.pml", "-DSENT_UNCOUNTED", True),
    ("ranks.pml", "-DGHOST_SILENT", True),
    ("ranks.pml", "-DDROP_EQUAL", True),
    ("ranks.pml", "-DNOT_OFFERED", True),
    ("ranks.pml", "-DOWN_LEFT", True),
    ("ranks_atomic.pml", "", False),
    ("ranks_atomic.pml", "-DAPPLIED", True),
    ("ranks_atomic.pml", "-DLANDS_LATE", True),
    ("ranks_atomic.pml", "-DSENT_ONLY", True),
    ("ranks_bulk.pml", "", False),
    ("ranks_bulk.pml", "-DLAST=3", False),
    ("ranks_bulk.pml", "-DLOAD", False),
    ("ranks_bulk.pml", "-DNOT_COUNTED", False),
    ("ranks_bulk.pml", "-DNO_BARRIER", True),
    ("ranks_bulk.pml", "-DNO_MARK", True),
    ("ranks_bulk.pml", "-DMARK_LATE", True),
    ("ranks_bulk.pml", "-DLOST", True),
    ("ranks_bulk.pml", "-DNO_MARK_BACK", True),
    ("ranks_bulk.pml", "-DNOT_EMPTIED", True),
    ("ranks_bulk.pml", "-DSENT_UNCOUNTED", True),
    ("ranks_bulk.pml", "-DONE_BOX", True),
    ("ranks_bulk.pml", "-DRESET_LATE", True),
    ("ranks_bulk.pml", "-DNOT_RESET", True),
    ("ranks_cuda.pml", "", False),
    ("ranks_cuda.pml", "-DONE_SET", True),
    ("ranks_cuda.pml", "-DONE_BOX", True),
    ("ranks_cuda.pml", "-DONE_WORD", True),
    ("ranks_cuda.pml", "-DSENT_KEPT", True),
    ("ranks_cuda.pml", "-DNOT_WAITED", True),
    ("ranks_shared.pml", "", False),
    ("ranks_shared.pml", "-DANY", False),
    ("ranks_shared.pml", "-DTWO_STEPS", True),
    ("ranks_shared.pml", "-DOFFERED", True),
    ("ranks_shared.pml", "-DDROP_EQUAL", True),
    ("ranks_shared.pml", "-DSENT_UNCOUNTED", True),
    ("ranks_shared.pml", "-DOWN_LEFT", True),
    ("ranks_sums.pml", "", False),
    ("ranks_sums.pml", "-DTWO_STEPS", True),
    ("ranks_sums.pml", "-DSILENT", True),
    ("ranks_sums.pml", "-DVALUE_OF_ENTRY", True),
    ("ranks_sums.pml", "-DSENT_UNCOUNTED", True),
    ("ranks_sums.pml", "-DNOT_EMPTIED", True),
    ("share.pml", "", False),
    ("share.pml", "-DPLACES=3", False),
    ("share.pml", "-DDEPTH=2", False),
    ("share.pml", "-DWARPS=3 -DPLACES=3 -DDEPTH=1", False),
    ("share.pml", "-DPLAIN_PUT", True),
    ("share.pml", "-DPLAIN_TAKE", True),
    ("share.pml", "-DPLAIN_CLAIM", True),
    ("share.pml", "-DNO_LIMIT", True),
    ("share.pml", "-DNOT_LOOKED", True),
    ("requests.pml", "-DMEMBERS=2", False),
    ("requests.pml", "-DVERTICES=2 -DLIVES=1", False),
    ("requests.pml", "-DVERTICES=2", False),
    ("requests.pml", "", False),
    ("requests.pml", "-DCOUNT_LATE", True),
    ("requests.pml", "-DUNCOUNTED", True),
    ("requests.pml", "-DKEPT", True),
    ("requests.pml", "-DREPLY_EARLY", True),
    ("server_both.pml", "", False),
    ("server_both.pml", "-DSIZE=1", False),
    ("server_both.pml", "-DSPARE=0", False),
    ("server_both.pml", "-DB=3 -DDEPTH=1", False),
    ("server_both.pml", "-DCOUNT_LATE", True),
    ("server_both.pml", "-DDEAF -DSIZE=1", True),
    ("server_both.pml", "-DDONE_EARLY -DSPARE=0", True),
    ("server_both.pml", "-DKEPT", True),
    ("server_both.pml", "-DLOST", True),
    ("server_both.pml", "-DFREE_EARLY", True),
    ("server_both.pml", "-DREAD_AHEAD", True),
    ("server_both_critical.pml", "", False),
    ("server_both_critical.pml", "-DSTART=2 -DQUIET", False),
    ("server_both_critical.pml", "-DCOUNT_LATE", True),
    ("server_both_critical.pml", "-DSTART=2 -DQUIET -DONE_BOX", True),
    ("server_both_critical.pml", "-DSTART=3 -DQUIET -DFIRST_FIRST", True),
    ("server_both_critical.pml", "-DKEPT", True),
    ("server_both_critical.pml", "-DCALL_UNCOUNTED", True),
    ("server_both_critical.pml", "-DCALL_EARLY", True),
    ("server_both_critical.pml", "-DFREE_EARLY", True),
    ("server_ring.pml", "", False),
    ("server_ring.pml", "-DSIZE=2", False),
    ("server_ring.pml", "-DM=3 -DDEPTH=1", False),
    ("server_ring.pml", "-DCOUNT_LATE", True),
    ("server_ring.pml", "-DDEAF", True),
    ("server_ring.pml", "-DVALID_EARLY", True),
    ("server_ring.pml", "-DFREE_EARLY", True),
    ("server_locks.pml", "", False),
    ("server_locks.pml", "-DLOCKS=2", False),
    ("server_locks.pml", "-DREQUESTS=4 -DCREDIT=2", False),
    ("server_locks.pml", "-DSERVERS=3", False),
    ("server_locks.pml", "-DUNORDERED", True),
    ("server_locks.pml", "-DHEAD -DCREDIT=2", True),
    ("server_locks.pml", "-DNO_CREDIT -DLOCKS=2", True),
    ("server_locks.pml", "-DSERVERS=3 -DREQUESTS=2 -DNO_QUEUE", True),
    ("server_nested.pml", "", False),
    ("server_nested.pml", "-DLOCKS=2", False),
    ("server_nested.pml", "-DSERVERS=3", False),
    ("server_nested.pml", "-DREQUESTS=4 -DRING=2", False),
    ("server_nested.pml", "-DREQUESTS=4 -DLOCKS=3 -DCROSSED", False),
    ("server_nested.pml", "-DUNORDERED", False),
    ("server_nested.pml", "-DANSWERING=2", False),
    ("server_nested.pml", "-DANSWERING=2 -DLOCKS=2 -DPATIENT", False),
    ("server_nested.pml", "-DREQUESTS=4 -DPATIENT", False),
    ("server_nested.pml", "-DREQUESTS=4 -DLOCKS=3 -DCROSSED -DSEND_BLOCKS", True),
    ("server_nested.pml", "-DUNLOCK_EARLY", True),
    ("server_nested.pml", "-DANSWER_EARLY", True),
    ("server_nested.pml", "-DEND_EARLY", True),
    ("server_nested.pml", "-DWAIT -DUNORDERED", True),
]
# The verifier is compiled for each case, which takes most of the time: clang without optimisation needs half of what GCC does.
# SAFETY leaves out the code for cycles, which no model asks about. Of the table of states 2^18 chains are enough.
COMPILER = [shutil.which("clang") or "cc", "-w", "-O0", "-DSAFETY", "-DNOCLAIM"]


def verify(model, definitions, work):
    """What Spin says of the model, in a folder of its own."""
    text = ""
    for words in (["spin", *definitions.split(), "-a", folder / model], [*COMPILER, "-o", "pan", "pan.c"], ["./pan", "-m1000000", "-w18"]):
        done = subprocess.run(words, cwd=work, capture_output=True, text=True, timeout=500, check=False)
        text += done.stdout + done.stderr
    return text


passed = failed = 0
left_out = set(LARGE) if sys.argv[2:] != ["all"] else set()
assert LARGE <= {f"{model} {definitions}" for model, definitions, _ in CASES}
if "ORDO_TEST_QUICK" in os.environ:
    kept = set()
    for model, definitions, faulty in CASES:
        if (model, faulty) in kept:
            left_out.add(f"{model} {definitions}")
        elif f"{model} {definitions}" not in left_out:
            kept.add((model, faulty))
for model, definitions, faulty in CASES:
    if f"{model} {definitions}" in left_out:
        continue
    with tempfile.TemporaryDirectory() as work:
        text = verify(model, definitions, work)
    found = re.search(r"errors: (\d+)", text)
    states = re.search(r"(\d+) states, stored", text)
    complete = found and "max search depth too small" not in text and "out of memory" not in text
    if complete and (int(found[1]) > 0) == faulty:
        passed += 1
        print(f"{model} {definitions}: {states[1]} states, {'fault found' if faulty else 'holds'}")
    else:
        failed += 1
        print(f"FAILED {model} {definitions}:\n{text}")
print(f"{passed} passed, {failed} failed, {len(left_out)} left out")
sys.exit(failed > 0)
