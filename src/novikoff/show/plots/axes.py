"""Where figures are drawn and how they are saved: axes, files, names, legends."""

from __future__ import annotations

import html
import io
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.printing import cut

if TYPE_CHECKING:
    import matplotlib.axes

Axes: TypeAlias = "matplotlib.axes.Axes"
# Characters without a glyph, which neither an SVG nor a page may contain, or which reverse the text
# around them. Line ends and tabs become spaces.
CONTROLS = {
    **dict.fromkeys([*range(32), 0x85, 0x2028, 0x2029], " "),
    **dict.fromkeys([*range(127, 133), *range(134, 160), *range(0xD800, 0xE000)], "\ufffd"),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFFFE, 0xFFFF], "\ufffd"),
}
_SVG_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "novikoff"}  # text stays text
# By default files name the time and matplotlib's version.
_METADATA: dict[str, Any] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": {"CreationDate": None},
}


class NoMatplotlib(ImportError):  # noqa: N818  (the name says what is missing)
    """matplotlib, which draws the figures, is not installed."""


def expect_format(path: str | os.PathLike[str]) -> None:
    """Reject a path that does not end in .png, .svg or .pdf."""
    if Path(path).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"{os.fspath(path)}: name the figure .png, .svg or .pdf")


def new_axes(*, width: float = 8, height: float = 5) -> Axes:
    """Axes of a new figure that is not shown in a window; sizes are in inches."""
    return new_panels(1, width=width, height=height)[0]


def new_panels(
    panels: int, *, width: float = 4.2, height: float = 4.2, stacked: bool = False
) -> tuple[Axes, ...]:
    """Axes side by side, or stacked, in a new figure; sizes are those of one panel, in inches."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise NoMatplotlib(
            "figures need matplotlib: pip install 'novikoff[plot]', or pip install matplotlib"
        ) from None
    rows, columns = (panels, 1) if stacked else (1, panels)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    kind = _shown_axes()
    return Panels(figure.add_subplot(rows, columns, k + 1, axes_class=kind) for k in range(panels))


class Panels(tuple["Axes", ...]):
    """The axes of one figure, which a notebook shows."""

    __slots__ = ()

    def _repr_png_(self) -> bytes:
        return _png(self[0])


@cache
def _shown_axes() -> type[Axes]:
    """Axes that a notebook shows as their figure: it is not one of pyplot, which shows its own."""
    from matplotlib.axes import Axes

    return type("Axes", (Axes,), {"_repr_png_": _png})


def _png(ax: Axes) -> bytes:
    out = io.BytesIO()
    _figure(ax).savefig(out, format="png", dpi=100, metadata=_METADATA.get("png"))
    return out.getvalue()


def save(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of these axes to a .png, .svg or .pdf file; the bytes name no time."""
    expect_format(path)
    kind = Path(path).suffix.lower()[1:]
    with atomic_write(path) as file:
        if kind == "svg":
            file.write(_svg_file(ax, "shape").encode())
        else:
            _figure(ax).savefig(file, format=kind, dpi=150, metadata=_METADATA.get(kind))


def svg(ax: Axes, *, label: str = "", name: str = "shape") -> str:
    """The figure as an SVG element to embed in a page; its ids begin with the name."""
    text = _svg_file(ax, name)
    described = (
        f' role="img" aria-label="{html.escape(label.translate(CONTROLS))}"' if label else ""
    )
    return text[text.index("<svg") :].strip().replace("<svg", f"<svg{described}", 1)


def _svg_file(ax: Axes, name: str) -> str:
    """The figure as an SVG file with short ids and three decimals in every coordinate.

    matplotlib computes coordinates with functions, such as NumPy's logarithm, whose last bit
    depends on the processor. Rounded twice, from the float to six decimals and from there to three,
    that bit is lost, also where a coordinate is half-way between two short decimals.
    """
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context(_SVG_STYLE):
        _figure(ax).savefig(out, format="svg", dpi=150, metadata=_METADATA["svg"])
    text = out.getvalue()
    used = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    ids = {old: f"{name}-{k}" for k, old in enumerate(used, 1)}
    text = re.sub(r' id="([^"]*)"', lambda m: f' id="{ids[m[1]]}"' if m[1] in ids else "", text)
    text = re.sub(r'(href="#|url\(#)([^")]+)', lambda m: m[1] + ids[m[2]], text)
    return re.sub(r"<[^>]*>", lambda m: re.sub(r"-?\d+\.\d{4,}", _rounded, m[0]), text)


def _rounded(number: re.Match[str]) -> str:
    short = f"{float(number[0]):.3f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _figure(ax: Axes) -> Any:
    return ax.get_figure(root=True)


def escaped(name: object) -> str:
    r"""A user's name for something, written so that matplotlib draws it letter by letter.

    >>> escaped("US$ to A$"), escaped("_id")
    ('US\\$ to A\\$', '\u200b_id')
    """
    plain = cut(str(name).translate(CONTROLS)).replace("$", r"\$")
    return f"\u200b{plain}" if plain.startswith("_") else plain


def legend_below(ax: Axes, *, columns: int = 3, title: str | None = None) -> None:
    """Put the legend under the axes, where it covers no point."""
    from matplotlib.collections import PathCollection

    handles, _ = ax.get_legend_handles_labels()
    if handles:
        legend = ax.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, 0),
            borderaxespad=4.6,  # below the tick labels and the name of the axis
            ncols=min(columns, len(handles)),
            frameon=False,
            title=title,
            title_fontsize="small",
            fontsize="small",
        )
        for handle in legend.legend_handles:  # points of all sizes look alike in the legend
            if isinstance(handle, PathCollection):
                handle.set_sizes([40])


def write_instead(ax: Axes, words: str) -> Axes:
    """Write a message in the middle of axes that have nothing to show."""
    ax.text(0.5, 0.5, words, ha="center", va="center", wrap=True, transform=ax.transAxes)
    ax.set_axis_off()
    return ax
