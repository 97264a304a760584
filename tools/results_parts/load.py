"""What other processes do while something is measured: what says how far times are to be believed."""
import os
import pathlib
import resource
import time


def used():
    """Seconds of CPU: of all processes since the machine began, and of the commands that were run here."""
    words = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    busy = sum(words) - words[3] - words[4]  # but idle and waiting for a disk
    mine = resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy / os.sysconf("SC_CLK_TCK"), mine.ru_utime + mine.ru_stime


class Others:
    """How many cores others kept busy since this was made."""

    def __init__(self):
        self.began, self.before = time.monotonic(), used()

    def cores(self):
        busy, mine = (now - before for now, before in zip(used(), self.before))
        return round(max((busy - mine) / (time.monotonic() - self.began), 0), 2)


def sentence(cores):
    return f"Other processes used {cores:.2f} cores meanwhile." + (
        " **The machine was busy: times are good for a rough comparison and nothing more.**" if cores > 0.2 else "")
