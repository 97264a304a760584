"""The C interface of libordo: its structs, its calls, and where it is found.

The binding is ctypes over the library's stable ABI (framework/libordo.map), so it needs no compiler and works with
every CPython. Structs and calls are written down by hand, those alone that the package uses;
tests/python/abi_test.py has a C compiler compare them with the headers.
"""
import ctypes as c
import importlib.util
import os
import pathlib

VERSION = "0.1.0"

u8, u32, i32, u64, f64, f32 = c.c_uint8, c.c_uint32, c.c_int32, c.c_uint64, c.c_double, c.c_float
enum, flag, text, pointer = c.c_int, c.c_bool, c.c_char_p, c.c_void_p

NO_VERTEX = 0xFFFFFFFF
MAX_VERTICES = 0xFFFFFFFE

# ordo_type, by the names of NumPy's types
NONE, U32, I32, F32, U64, F64, I64 = range(7)
TYPES = {U32: "uint32", I32: "int32", F32: "float32", U64: "uint64", F64: "float64", I64: "int64"}

REPORT = c.CFUNCTYPE(c.c_int, pointer, text, u64, u64)  # ordo_watch_fn


class Csr(c.Structure):
    _fields_ = [("n", u32), ("m", u64), ("row", pointer), ("head", pointer), ("weight", pointer), ("stride", u32),
                ("weight_type", enum)]


class EdgeOptions(c.Structure):
    _fields_ = [("direction", enum), ("drop_loops", flag), ("parallel", enum), ("weights", enum), ("low", u32),
                ("high", u32), ("seed", u64), ("weight_type", enum), ("reserved", u64 * 1)]


class ReadOptions(c.Structure):
    _fields_ = [("edges", EdgeOptions), ("coordinates", text), ("trust", flag), ("bipartite", flag), ("round", flag),
                ("columns", text), ("threads", c.c_int), ("group", pointer), ("cyclic", flag), ("reserved", u64 * 2)]


class EdgeArrays(c.Structure):
    _fields_ = [("n", u64), ("count", u64), ("index_type", enum), ("tail", pointer), ("head", pointer),
                ("weight_type", enum), ("weight", pointer), ("edges", EdgeOptions), ("round", flag),
                ("threads", c.c_int), ("reserved", u64 * 4)]


class RowArrays(c.Structure):
    _fields_ = [("n", u64), ("m", u64), ("row_type", enum), ("row", pointer), ("head", pointer), ("weight_type", enum),
                ("weight", pointer), ("stride", u32), ("symmetric", flag), ("threads", c.c_int), ("release", pointer),
                ("release_arg", pointer), ("head_type", enum), ("reserved", u64 * 3)]


class GenerateOptions(c.Structure):
    _fields_ = [("kind", text), ("vertices", u64), ("scale", u32), ("degree", u32), ("width", u32), ("height", u32),
                ("depth", u32), ("a", f64), ("b", f64), ("c", f64), ("d", f64), ("keep", f64), ("edges", EdgeOptions),
                ("threads", c.c_int), ("reserved", u64 * 4)]


class VertexData(c.Structure):
    _fields_ = [("coordinate", pointer), ("weight", pointer), ("weights", u32), ("size", pointer), ("source", u32),
                ("sink", u32)]


class GraphInfo(c.Structure):
    _fields_ = [("source", text), ("format", text), ("vertices", u64), ("edges", u64), ("loops", u64),
                ("max_degree", u64), ("symmetric", flag), ("weight_type", enum), ("weight_min", f64),
                ("weight_max", f64), ("weight_mean", f64), ("weights", text), ("dropped_loops", u64),
                ("dropped_parallel", u64), ("id_base", u64), ("checksum", u64), ("bytes", u64), ("load_seconds", f64),
                ("build_seconds", f64), ("reserved", u64 * 4)]


class Options(c.Structure):
    _fields_ = [("scheduler", text), ("sync", text), ("device", text), ("threads", c.c_int),
                ("settings", c.POINTER(text)), ("setting_count", c.c_size_t), ("timeout", f64),
                ("cancel", c.POINTER(c.c_int)), ("progress", pointer), ("progress_arg", pointer), ("trace", pointer),
                ("hardware", flag), ("items", text), ("group", pointer), ("device_cells", pointer),
                ("device_bytes", u64), ("repeats", u64), ("additions", pointer), ("reserved", u64 * 1)]


class Setting(c.Structure):
    _fields_ = [("name", text), ("value", c.c_char * 32)]


class Hardware(c.Structure):
    _fields_ = [("present", flag * 4), ("value", u64 * 4)]


class Sample(c.Structure):
    _fields_ = [("seconds", f64), ("in_flight", u64), ("bucket", u64), ("delta", f64), ("utilisation", f32),
                ("concurrent", u32)]


class TraceView(c.Structure):
    _fields_ = [("samples", pointer), ("sample_count", c.c_size_t), ("states", pointer), ("threads", c.c_int),
                ("events", pointer), ("event_count", c.c_size_t), ("period", f64), ("sampler_seconds", f64),
                ("incomplete", flag)]


class Stats(c.Structure):
    _fields_ = [("op", text), ("scheduler", text), ("sync", text), ("backend", text), ("device", c.c_char * 96),
                ("fallback", c.c_char * 256), ("chosen", c.c_char * 160), ("threads", c.c_int),
                ("settings", Setting * 32), ("setting_count", c.c_int), ("run_seconds", f64), ("prepare_seconds", f64),
                ("transfer_seconds", f64), ("items", u64), ("edges", u64), ("useful", u64), ("stale", u64),
                ("activations", u64), ("supersteps", u64), ("work_seconds", f64), ("peak_worklist_bytes", u64),
                ("peak_bytes", u64), ("delta_first", f64), ("delta_last", f64), ("hardware", Hardware),
                ("trace", pointer), ("trace_count", c.c_size_t), ("change", f64), ("item", text), ("messages", u64),
                ("critical_edges", u64), ("reserved", u64 * 4)]


class PathQuery(c.Structure):
    _fields_ = [("sources", pointer), ("source_count", u64), ("limited", flag), ("limit", f64), ("targets", pointer),
                ("target_count", u64), ("stop_after", u64), ("reserved", u64 * 3)]


class PathAnswer(c.Structure):
    _fields_ = [("value", pointer), ("pred", pointer), ("nearest", pointer), ("stats", pointer), ("within", pointer),
                ("reserved", u64 * 5)]


class Cycle(c.Structure):
    _fields_ = [("length", u64), ("vertex", pointer), ("edge", pointer), ("type", enum), ("whole", c.c_int64),
                ("real", f64), ("reserved", u64 * 4)]


class ForestWeight(c.Union):
    _fields_ = [("u32", u64), ("i32", c.c_int64), ("f32", f64), ("i64", c.c_int64), ("f64", f64)]


class Forest(c.Structure):
    _fields_ = [("trees", u64), ("edges", u64), ("type", enum), ("weight", ForestWeight)]


class FlowOptions(c.Structure):
    _fields_ = [("infinite", u64), ("cut_only", flag), ("reserved", u64 * 4)]


class Flow(c.Structure):
    _fields_ = [("value", u64), ("cut_capacity", u64), ("source_side", u64)]


class Ranks(c.Structure):
    _fields_ = [("error", f64), ("residual", f64), ("dangling", u64)]


class Triangles(c.Structure):
    _fields_ = [("triangles", u64), ("wedges", u64), ("transitivity", f64), ("clustering", f64), ("reserved", u64 * 4)]


class Betweenness(c.Structure):
    _fields_ = [("sources", u64), ("largest", f64), ("most_paths", f64), ("error", f64), ("reserved", u64 * 4)]


class Hits(c.Structure):
    _fields_ = [("rounds", u64), ("change", f64)]


class Watch(c.Structure):
    _fields_ = [("report", REPORT), ("arg", pointer), ("interval", f64), ("reserved", u64 * 4)]


class SchedulerHead(c.Structure):
    """The first members of ordo_scheduler, which stay where they are while `interface` is SCHEDULER_INTERFACE."""
    _fields_ = [("interface", c.c_uint), ("name", text), ("summary", text), ("paper", text)]


SCHEDULER_INTERFACE = 10

# The C names of the structs above, for the test that compares both.
C_NAMES = {
    "Csr": "ordo_csr", "EdgeOptions": "ordo_edge_options", "ReadOptions": "ordo_read_options",
    "EdgeArrays": "ordo_edge_arrays", "RowArrays": "ordo_row_arrays", "GenerateOptions": "ordo_generate_options",
    "VertexData": "ordo_vertex_data", "GraphInfo": "ordo_graph_info", "Options": "ordo_options",
    "Setting": "ordo_setting", "Hardware": "ordo_hardware", "Sample": "ordo_sample", "Stats": "ordo_stats",
    "PathQuery": "ordo_path_query", "PathAnswer": "ordo_path_answer", "Cycle": "ordo_cycle", "Forest": "ordo_forest",
    "ForestWeight": "ordo_forest_weight", "FlowOptions": "ordo_flow_options", "Flow": "ordo_flow",
    "Ranks": "ordo_ranks", "Triangles": "ordo_triangles_found", "Betweenness": "ordo_betweenness_found",
    "Hits": "ordo_hits_found", "Watch": "ordo_watch", "TraceView": "ordo_trace_view",
}

# Results and arguments of the calls: g graph, p pointer to anything, o ordo_options, v vertex, w u64, i int, d double,
# b bool, s string; a result is "status", "none", "trace" (a struct) or one of these.
_CODES = {"g": pointer, "p": pointer, "o": pointer, "v": u32, "w": u64, "i": c.c_int, "d": f64, "b": flag, "s": text,
          "status": c.c_int, "none": None, "trace": TraceView}
CALLS = {
    "ordo_version": ("s", ""), "ordo_last_error": ("s", ""), "ordo_watch_set": ("status", "p"),
    "ordo_watch_get": ("p", ""), "ordo_stats_free": ("none", "p"), "ordo_cycle_free": ("none", "p"),
    "ordo_graph_read": ("status", "spp"), "ordo_graph_from_arrays": ("status", "pp"),
    "ordo_graph_borrow_arrays": ("status", "pp"), "ordo_graph_borrow_device_arrays": ("status", "psp"),
    "ordo_graph_generate": ("status", "pp"),
    "ordo_graph_write": ("status", "gs"), "ordo_graph_free": ("none", "g"), "ordo_graph_out": ("p", "g"),
    "ordo_graph_symmetric": ("b", "g"), "ordo_graph_get_info": ("none", "gp"),
    "ordo_graph_vertex_data": ("p", "g"), "ordo_schedulers": ("w", "pw"), "ordo_operators": ("w", "pw"),
    "ordo_operator_name": ("s", "p"), "ordo_operator_summary": ("s", "p"), "ordo_sssp_type": ("i", "g"),
    "ordo_path": ("w", "pwvvpw"),
    "ordo_sssp_from": ("status", "gpop"), "ordo_sssp_from_verify": ("status", "gppi"),
    "ordo_bfs_order": ("status", "gpppp"), "ordo_sssp_order": ("status", "gpppw"),
    "ordo_bfs_from": ("status", "gpop"), "ordo_bfs_from_verify": ("status", "gppi"),
    "ordo_widest_from": ("status", "gpop"), "ordo_widest_from_verify": ("status", "gppi"),
    "ordo_bellman_ford": ("status", "gpopp"), "ordo_bellman_ford_verify": ("status", "gpppi"),
    "ordo_johnson": ("status", "gpopp"), "ordo_johnson_verify": ("status", "gpppi"),
    "ordo_cc": ("status", "gopp"), "ordo_cc_verify": ("status", "gpi"),
    "ordo_scc": ("status", "gopp"), "ordo_scc_verify": ("status", "gpi"),
    "ordo_mis": ("status", "gopp"), "ordo_mis_verify": ("status", "gpi"),
    "ordo_colour": ("status", "gopp"), "ordo_colour_verify": ("status", "gpi"),
    "ordo_mst": ("status", "goppp"), "ordo_mst_verify": ("status", "gppi"),
    "ordo_kcore": ("status", "gvopp"), "ordo_kcore_verify": ("status", "gvpi"),
    "ordo_labels": ("status", "gwopp"), "ordo_labels_verify": ("status", "gwpi"),
    "ordo_pagerank": ("status", "gddoppp"), "ordo_pagerank_verify": ("status", "gdpdi"),
    "ordo_triangles": ("status", "goppp"), "ordo_triangles_verify": ("status", "gppi"),
    "ordo_betweenness": ("status", "gpwoppp"), "ordo_betweenness_verify": ("status", "gpwpdi"),
    "ordo_hits": ("status", "gwopppp"), "ordo_hits_verify": ("status", "gpppi"),
    "ordo_device_find": ("status", "spw"), "ordo_session_make": ("status", "sip"), "ordo_session_free": ("none", "p"),
    "ordo_session_adopt": ("status", "ppw"), "ordo_session_array": ("status", "ppwwp"), "ordo_session_number": ("i", "p"),
    "ordo_session_read": ("status", "pppw"),
    "ordo_session_write": ("status", "pppw"), "ordo_trace_make": ("status", "dp"), "ordo_trace_free": ("none", "p"), "ordo_trace_look": ("trace", "p"),
    "ordo_maxflow": ("status", "gvvpopppp"), "ordo_maxflow_verify": ("status", "gvvppppi"),
}


def path() -> str:
    """Where libordo is: what ORDO_LIBRARY names, else the wheel's own, else that of the prefix with this package in its
    lib/python3.N/site-packages (as Spack and conda install it), else wherever the loader finds it."""
    folder = pathlib.Path(__file__).parent
    places = [folder / "lib"]
    site = folder.resolve().parent
    if site.name == "site-packages":
        places.append(site.parents[1])
    own = [str(place / "libordo.so.0") for place in places if (place / "libordo.so.0").exists()]
    return os.environ.get("ORDO_LIBRARY") or (own[0] if own else "libordo.so.0")


def _find_back_ends() -> None:
    """Has the library, and commands that this process starts, look for back ends in the wheel ordo-cuda, if it is there."""
    if "ORDO_BACKENDS" not in os.environ:
        cuda = importlib.util.find_spec("ordo_cuda")
        if cuda and cuda.submodule_search_locations:
            os.environ["ORDO_BACKENDS"] = cuda.submodule_search_locations[0]


def _load() -> c.CDLL:
    _find_back_ends()
    try:
        library = c.CDLL(path())
    except OSError as error:
        raise ImportError(f"libordo cannot be loaded ({error}); ORDO_LIBRARY may name the file") from error
    for name, (result, arguments) in CALLS.items():
        function = getattr(library, name)
        function.restype = _CODES[result]
        function.argtypes = [_CODES[a] for a in arguments]
    found = library.ordo_version().decode()
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"{path()} is libordo {found}, expected {VERSION}")
    return library


library = _load()
