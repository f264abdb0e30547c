"""Where ranks on other hosts reach this one.

`CORPUSFORGE_MASTER_ADDR` decides when it is set: to an address or host name, or to the name of a
network interface such as `hsn0`. Otherwise it is the address that this host's name resolves to,
and where that is a loopback address (Debian writes 127.0.1.1 into /etc/hosts), the address that
packets to other networks would leave from.
"""

import socket
import struct
import sys

from corpusforge.errors import ConfigError

VARIABLE = "CORPUSFORGE_MASTER_ADDR"
LOOPBACK = "127.0.0.1"
SIOCGIFADDR = 0x8915  # linux/sockios.h


def reachable_address(wish: str | None) -> str:
    """An address of this host that is not a loopback.

    Args:
        wish: Value of `CORPUSFORGE_MASTER_ADDR`, if it is set.

    Raises:
        ConfigError: No such address could be found.
    """
    if wish:
        return interface_addresses().get(wish) or _resolve(wish) or _refuse(f"{VARIABLE}={wish}")
    named = _resolve(socket.gethostname())
    if named and not named.startswith("127."):
        return named
    return _outgoing("192.0.2.1") or _refuse(f"the name of host {socket.gethostname()}")


def interface_towards(address: str) -> str | None:
    """The interface whose address packets to `address` leave from; None where unknown."""
    source = LOOPBACK if address.startswith("127.") else _outgoing(address)
    names = [name for name, own in interface_addresses().items() if own == source]
    return names[0] if names else None


def interface_addresses() -> dict[str, str]:
    """The IPv4 address of each network interface that has one; empty except on Linux."""
    if sys.platform != "linux":
        return {}
    import fcntl  # noqa: PLC0415  (does not exist on every platform)

    addresses = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode())
            try:
                answer = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, request)
            except OSError:  # an interface without an IPv4 address
                continue
            addresses[name] = socket.inet_ntoa(answer[20:24])
    return addresses


def _resolve(name: str) -> str | None:
    try:
        return socket.gethostbyname(name)
    except OSError:
        return None


def _outgoing(address: str) -> str | None:
    """Connecting a datagram socket sends nothing, but chooses the address to send from."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _refuse(what: str) -> str:
    raise ConfigError(
        f"{what} leads to no address that ranks on other hosts could reach; set {VARIABLE} to an "
        f"address of the first host or to the name of its interface"
    )
