"""The back end of Ordo for GPUs: `folder` has libordo-cuda.so, and the package `ordo` looks there. Nothing is loaded until a
run asks for a GPU; `ordo.devices()` says whether one can be used, or why not."""
import pathlib

folder = str(pathlib.Path(__file__).parent)
