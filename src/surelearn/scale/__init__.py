"""Beyond memory and beyond one machine: streams of rows, tables in parts, executors."""

from surelearn.scale.errors import ClusterLostError, PartError
from surelearn.scale.executors import connect, current, on, processes
from surelearn.scale.listing import parts
from surelearn.scale.reduction import map_reduce
from surelearn.scale.table_parts import Part, Parts

__all__ = [
    "ClusterLostError",
    "Part",
    "PartError",
    "Parts",
    "connect",
    "current",
    "map_reduce",
    "on",
    "parts",
    "processes",
]
