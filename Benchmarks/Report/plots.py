"""The plots of the report, each as an SVG image for an HTML page. The page loads nothing else."""

import base64
import io
import math

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator  # noqa: E402

from results import in_words  # noqa: E402

plt.rcParams.update({
    "font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "legend.frameon": False, "legend.fontsize": 9, "svg.fonttype": "path",
})

COLOURS = {"word": "#1b6ca8", "locked": "#d1731f", "arrival": "#b02a5b", "claim": "#2f8f83"}
SPARE = ("#8a6d3b", "#5b4fa0", "#5c8a1f", "#a0468f")
BASELINE = "#7a7a7a"
OTHERS = {"pthread-mutex": "#3f7d4e", "swift-mutex": "#8a5aa8", "dispatch-queue": "#9a8a2c"}
COLUMNS = 4


def colour_of(name: str, is_matcher=True) -> str:
    """A matcher without a colour takes the next spare one, for the whole page."""
    if is_matcher and name not in COLOURS:
        COLOURS[name] = SPARE[len(COLOURS) % len(SPARE)]
    return COLOURS.get(name) or OTHERS.get(name, BASELINE)


def image(figure, alternative: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img alt="{alternative}" src="data:image/svg+xml;base64,{data}">'


def plain(value, _=None) -> str:
    if value == 0:
        return "0"
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {suffix}"
    return f"{value:g}"


def panels(count: int, height: float, columns: int = COLUMNS):
    """A figure with so many panels in rows of `columns`. The rest of the last row is empty."""
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.1 * columns, height * rows), squeeze=False)
    flat = [axis for line in axes for axis in line]
    for axis in flat[count:]:
        axis.set_visible(False)
    figure.subplots_adjust(hspace=0.62, wspace=0.34)
    return figure, flat[:count]


def legend_above(figure, axes, extra=0.0):
    """One legend for all panels, above them, so that it covers no line."""
    entries = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    top = max(axis.get_position().y1 for axis in axes)
    inches = figure.get_size_inches()[1]
    figure.legend(list(entries.values()), list(entries), loc="lower center", ncol=min(6, len(entries)),
                  bbox_to_anchor=(0.5, top + (0.3 + extra) / inches))


def throughput(results, cases) -> str:
    """Millions of reactions a second by threads: lines for layer swift, dashes for layer c, grey for the fastest
    baseline."""
    figure, axes = panels(len(cases), 2.0)
    for axis, case in zip(axes, cases):
        threads = sorted({row.threads for row in results.rows if row.case == case and row.median})
        place = {count: index for index, count in enumerate(threads)}
        for matcher in reversed(results.matchers):
            for layer, line in (("c", (0, (2, 2))), ("swift", "-")):
                found = [(count, results.find(case, count, layer, matcher)) for count in threads]
                points = [(place[count], 1000 / row.median) for count, row in found if row and row.median]
                if points:
                    axis.plot(*zip(*points), linestyle=line, marker="o", markersize=3.5, color=colour_of(matcher),
                              label=f"{matcher}, {layer}")
        points = [(place[count], 1000 / min(row.median for row in results.baselines(case, count)))
                  for count in threads if results.baselines(case, count)]
        if points:
            axis.plot(*zip(*points), linestyle=":", marker="s", markersize=3, color=BASELINE, label="fastest baseline")
        axis.set_title(case)
        axis.set_xticks(list(place.values()), [str(count) for count in threads])
        axis.set_xlim(-0.3, max(len(threads), 2) - 0.7)
        axis.set_ylim(0, 1.12 * max(point for line in axis.lines for point in line.get_ydata()))
        axis.yaxis.set_major_formatter(FuncFormatter(plain))
        axis.set_xlabel("threads", labelpad=1)
    for axis in axes[::COLUMNS]:
        axis.set_ylabel("M reactions / s")
    legend_above(figure, axes)
    return image(figure, "throughput by matcher and threads")


def latencies(case: str, by_threads: dict) -> str:
    """One panel for each number of threads: the minimum time of the slowest share of the injections."""
    figure, axes = panels(len(by_threads), 2.3)
    greatest = 1
    for axis, (count, rows) in zip(axes, by_threads.items()):
        for row in rows:
            curve = [(1 - share, value) for share, value in row.latency.get("curve", []) if value]
            if not curve:
                continue
            greatest = max(greatest, *(value for _, value in curve))
            axis.plot(*zip(*curve), marker="o", markersize=2.5, color=colour_of(row.by, row.matcher),
                      linestyle="-" if row.matcher else ":", label=row.by)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlim(0.7, 0.7e-5)
        axis.set_xticks([0.5, 0.1, 0.01, 0.001, 0.0001, 0.00001], ["50", "90", "99", "99.9", "99.99", "99.999"], rotation=40)
        axis.xaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_formatter(FuncFormatter(plain))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.set_title(in_words(count))
        axis.set_xlabel("percentile", labelpad=1)
    for axis in axes:
        axis.set_ylim(10, greatest * 1.6)
    axes[0].set_ylabel("ns at most")
    legend_above(figure, axes)
    return image(figure, f"latency of an injection, {case}")


def slopes(series) -> str:
    """A panel for each series: the figures through the Swift API, and the line that fits them best."""
    series = [one for one in series if one["layer"] != "c"]
    names = list(dict.fromkeys(one["series"] for one in series))
    figure, axes = panels(len(names), 2.1)
    for axis, name in zip(axes, names):
        group = [one for one in series if one["series"] == name]
        is_logarithmic = group[0]["per"] == "decade"
        for one in group:
            label = one["matcher"] or one["layer"]
            points = [(x, y) for x, y in one["points"]]
            colour = colour_of(label, one["matcher"])
            axis.plot(*zip(*points), linestyle="none", marker="o", markersize=3.5, color=colour, label=label)
            ends = [points[0][0], points[-1][0]]
            across = [math.log10(x) if is_logarithmic else x for x in ends]
            axis.plot(ends, [one["intercept"] + one["slope"] * x for x in across], linewidth=0.9, color=colour)
        if is_logarithmic:
            axis.set_xscale("log")
            axis.xaxis.set_minor_locator(NullLocator())
        axis.xaxis.set_major_formatter(FuncFormatter(plain))
        axis.yaxis.set_major_formatter(FuncFormatter(plain))
        greatest = max(y for one in group for _, y in one["points"])
        axis.set_ylim(0, greatest * 1.15 if greatest > 0 else 1)
        axis.set_title(name)
        axis.set_xlabel(group[0]["of"], labelpad=1)
        axis.set_ylabel(group[0]["unit"], labelpad=2)
    legend_above(figure, axes)
    return image(figure, "slopes")


def regions(curves) -> str:
    """A panel for each region. `curves` has its name, the growing quantity, its unit, and the figures of each
    matcher."""
    figure, axes = panels(len(curves), 2.1)
    for axis, (name, of, unit, points) in zip(axes, curves):
        places = sorted({at for found in points.values() for at, _ in found})
        for matcher, found in points.items():
            drawn = [(places.index(at), value) for at, value in found if value]
            if drawn:
                axis.plot(*zip(*drawn), marker="o", markersize=3, linewidth=1.1, color=colour_of(matcher),
                          label=matcher)
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(FuncFormatter(plain))
        axis.yaxis.set_minor_formatter(FuncFormatter(plain) if is_narrow(axis) else NullFormatter())
        axis.set_xticks(range(len(places)), [plain(place) for place in places])
        axis.set_xlim(-0.3, max(len(places), 2) - 0.7)
        axis.set_title(name)
        axis.set_xlabel(of, labelpad=1)
        axis.set_ylabel(unit, labelpad=2)
    legend_above(figure, axes)
    return image(figure, "matchers by region")


def is_narrow(axis) -> bool:
    """Whether the axis spans so little that it may contain no power of ten."""
    low, high = axis.get_ylim()
    return high < 10 * low
