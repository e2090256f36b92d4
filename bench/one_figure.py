"""The end of a script that draws one figure of one file or folder: `SCRIPT.py SOURCE -o FIGURE`."""

import argparse
from pathlib import Path


def main(doc, source, draw):
    """`source`: what help calls it; `draw(plt, path)` makes the figure."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar=source)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    draw(plt, arguments.source).savefig(arguments.output, dpi=80)
