"""Where figures are drawn and what they are drawn with: axes, files, colours, markers."""

from __future__ import annotations

import html
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")
# Okabe & Ito's colours, which colour-blind readers can tell apart; markers and dashes differ as
# well, for those who print in black and white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
BLUE, ORANGE, GREEN = COLOURS[:3]
BLACK, GREY = "#000000", "#666666"
MARKERS = "os^Dv*"
_LONGEST = 60  # letters of a name: longer ones leave no room for the figure
# What has no shape and may not stand in an SVG: ends of lines and tabs become spaces.
_SHAPELESS = {
    **dict.fromkeys([*range(32), 0x85, 0x2028, 0x2029], " "),
    **dict.fromkeys([*range(127, 133), *range(134, 160), *range(0xD800, 0xE000)], "\ufffd"),
    **dict.fromkeys([0xFFFE, 0xFFFF], "\ufffd"),
}
# Text stays text, and the same figure has the same bytes whenever it is drawn.
_SVG = {"svg.fonttype": "none", "svg.hashsalt": "novikoff"}


class NoMatplotlib(ImportError):  # noqa: N818  (it says what is missing)
    """Figures were asked for, and matplotlib is not installed."""


def expect_format(path: str | os.PathLike[str]) -> None:
    """Refuse a file that is not named as a figure of a kind that can be drawn."""
    if Path(path).suffix.lower() not in FORMATS:
        raise ValueError(f"{os.fspath(path)}: name the figure .png, .svg or .pdf")


def new_row(panels: int, *, width: float = 4.2, height: float = 4.2) -> tuple[Axes, ...]:
    """Axes side by side in a new figure, which no window shows; each so many inches in size."""
    return _new_panels(1, panels, width, height)


def new_column(panels: int, *, width: float = 5.6, height: float = 4.2) -> tuple[Axes, ...]:
    """The same, one under another: for pages that are narrow."""
    return _new_panels(panels, 1, width, height)


def _new_panels(rows: int, columns: int, width: float, height: float) -> tuple[Axes, ...]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise NoMatplotlib(
            "figures need matplotlib: pip install 'novikoff[plot]', or pip install matplotlib"
        ) from None
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return tuple(figure.add_subplot(rows, columns, k + 1) for k in range(rows * columns))


def new_axes(*, width: float = 8, height: float = 5) -> Axes:
    """Axes of a new figure, which no window shows."""
    return new_row(1, width=width, height=height)[0]


def expect_panels(
    axes: Sequence[Axes] | None, panels: int, *, height: float = 4.2
) -> tuple[Axes, ...]:
    """The axes given, which must be so many, or new ones, so many inches high."""
    if axes is None:
        return new_row(panels, height=height)
    given = tuple(axes)
    if len(given) != panels:
        raise ValueError(f"the figure has {panels} panels, and {len(given)} axes were given")
    return given


def save(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of these axes to a file, of the kind its name says.

    An SVG's text is text, and its bytes do not depend on when it is written.
    """
    expect_format(path)
    _write(ax, path, Path(path).suffix.lower()[1:])


def svg(ax: Axes, *, label: str = "") -> str:
    """The figure of these axes as an SVG element to put into a page.

    Parameters
    ----------
    label
        What somebody who cannot see the figure is told.
    """
    out = io.StringIO()
    _write(ax, out, "svg")
    text = out.getvalue()
    text = text[text.index("<svg") :]
    # names of groups, which nothing refers to, would be repeated in a page with several figures
    text = re.sub(r' id="[A-Za-z0-9]+_\d+"', "", text)
    said = f' role="img" aria-label="{html.escape(label)}"' if label else ""
    return text.replace("<svg", f"<svg{said}", 1)


def _write(ax: Axes, target: Any, kind: str) -> None:
    from matplotlib import rc_context

    figure = ax.get_figure(root=True)
    assert figure is not None  # axes without one cannot be made
    with rc_context(_SVG):  # type: ignore[arg-type]  # its keys are literals of one version
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(target, format=kind, dpi=150, metadata=metadata)


def letters(name: object) -> str:
    r"""A name that a user gave, as matplotlib is to be given it so that it draws each letter.

    It would take what stands between two dollars for a formula, and leave out of a legend what
    begins with a low line. A very long name is cut.

    >>> letters("US$ to A$"), letters("_id")
    ('US\\$ to A\\$', '\u200b_id')
    """
    plain = str(name).translate(_SHAPELESS)
    if len(plain) > _LONGEST:
        plain = f"{plain[: _LONGEST - 1]}…"
    plain = plain.replace("$", r"\$")
    return f"\u200b{plain}" if plain.startswith("_") else plain


def legend_below(ax: Axes, *, columns: int = 3, title: str | None = None) -> None:
    """A legend under the axes, where it covers no point."""
    from matplotlib.collections import PathCollection

    handles, _ = ax.get_legend_handles_labels()
    if handles:
        legend = ax.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, 0),
            borderaxespad=4.6,  # below the numbers and the name of the axis
            ncols=min(columns, len(handles)),
            frameon=False,
            title=title,
            title_fontsize="small",
            fontsize="small",
        )
        for handle in legend.legend_handles:  # points of any size are shown in one
            if isinstance(handle, PathCollection):
                handle.set_sizes([40])


def say_instead(ax: Axes, words: str) -> Axes:
    """Words in the middle of axes that have nothing to show."""
    ax.text(0.5, 0.5, words, ha="center", va="center", wrap=True, transform=ax.transAxes)
    ax.set_axis_off()
    return ax
