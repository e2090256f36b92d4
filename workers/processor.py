"""What the processor is called, since times that are kept are those of one kind, and how large its last cache is."""

import platform
from pathlib import Path


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def last_cache_bytes(folder="/sys/devices/system/cpu/cpu0/cache"):
    """Of the largest cache; of an ordinary one where the system does not say."""
    ordinary, units = 1 << 25, {"K": 1 << 10, "M": 1 << 20}
    sizes = []
    for file in Path(folder).glob("index*/size"):
        try:
            text = file.read_text(encoding="ascii").strip()
            sizes.append(int(text.rstrip("KM")) * units.get(text[-1:], 1))
        except (OSError, ValueError):
            pass
    return max(sizes, default=ordinary)
