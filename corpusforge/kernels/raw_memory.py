"""Memory by its address: what compiled code needs to read many mapped files in one call.

A kernel takes any number of arrays, but not a list of thousands; it takes one array of addresses.
Nothing here checks anything: the caller answers for every byte from an address on being mapped.
"""

from collections.abc import Callable, Sequence
from typing import cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

Typed = tuple[object, Callable[..., object]]  # a signature, and what writes the instructions

_BYTE, _INT32 = ir.IntType(8), ir.IntType(32)
_READ, _KEEP, _DATA = 0, 3, 1  # of llvm.prefetch: for reading, into the nearest cache, not code


def _copy_bytes(_context: object, _target: object, _source: object, _count: object) -> Typed:
    def write(_: object, builder: ir.IRBuilder, __: object, values: Sequence[ir.Value]) -> None:
        target, source, count = values
        pointers = [builder.inttoptr(at, _BYTE.as_pointer()) for at in (target, source)]
        kinds = [pointers[0].type, pointers[1].type, count.type]
        memcpy = builder.module.declare_intrinsic("llvm.memcpy", kinds)
        builder.call(memcpy, [*pointers, count, ir.IntType(1)(0)])

    return types.void(types.int64, types.int64, types.int64), write


def _prefetch(_context: object, _address: object) -> Typed:
    def write(_: object, builder: ir.IRBuilder, __: object, values: Sequence[ir.Value]) -> None:
        pointer = builder.inttoptr(values[0], _BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _INT32, _INT32, _INT32])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(ask, [pointer, _INT32(_READ), _INT32(_KEEP), _INT32(_DATA)])

    return types.void(types.int64), write


def _load_int64(_context: object, _address: object) -> Typed:
    def write(_: object, builder: ir.IRBuilder, __: object, values: Sequence[ir.Value]) -> object:
        pointer = builder.inttoptr(values[0], ir.IntType(64).as_pointer())
        return builder.load(pointer, align=1)

    return types.int64(types.int64), write


# memcpy of some bytes to an address from another; a constant number becomes a few instructions.
copy_bytes = cast(Callable[[int, int, int], None], intrinsic(_copy_bytes))
# Ask for one cache line. It is no fault if nothing is mapped there.
prefetch = cast(Callable[[int], None], intrinsic(_prefetch))
# The 8 bytes at an address, aligned or not, in the order of the machine.
load_int64 = cast(Callable[[int], int], intrinsic(_load_int64))
