"""A student who plays the lessons of the page in a browser, by keyboard or by touch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff import Additive, certify, play, sources
from novikoff.show.web.lessons import lesson

if TYPE_CHECKING:
    from playwright.sync_api import Page

# point, direction, how often by a quarter: what answers the questions where points are moved
MOVES = {5: (2, "ArrowDown", 10), 6: (0, "ArrowUp", 1)}
KEYS = {"ArrowDown": (0, -1), "ArrowUp": (0, 1)}
ENDS = {"least": "Home", "most": "End"}
CHECKED = {  # of questions that have many right answers
    "threshold": (["-2", "5"], ["2", "-5"]),
    "cancels": (["1", "1", "0", "0"], ["1", "1", "1", "1"]),
    "give up": (["1", "1", "-1"], "give up"),
    "margin": (["least"], ["most"]),
}


def steps_of(number: int) -> list[dict[str, Any]]:
    """The steps of a lesson, as the player counts them."""
    found = lesson(number)
    steps = []
    for entry in found["steps"]:
        run, each = found["runs"][entry.get("run", "main")], entry.get("each")
        if each is None:
            steps.append(entry)
            continue
        last = {
            "round": run.get("rounds"),
            "update": run.get("sent"),
            "example": run.get(entry.get("protocol"), {}).get("examples"),
            "size": len(run.get("n", ())),
            "event": len(run.get("events", ())),
        }.get(each)
        key = {"round": "round", "update": "k", "k": "k"}.get(each, "t")
        until = min(entry.get("to", 10**9), last or 10**9)
        numbers = entry.get("at") or range(entry.get("from", 1), until + 1)
        steps += [{**entry, key: n} for n in numbers]
    return steps


def answers(number: int, step: dict[str, Any]) -> tuple[Any, Any]:
    """A wrong and a right answer: the place of a button, the texts of the fields, or a move."""
    ask, runs = step["ask"], lesson(number)["runs"]
    run = runs[step.get("run", "main")]

    def at(path: str) -> Any:
        value: Any = runs
        for key in path.split("."):
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value

    if ask["kind"] == "label":
        right = run["labels"][run["every"]["row"][step["round"] - 1]]
        return None, int(right < 0)
    if ask["kind"] == "goal":
        return "nothing", MOVES[number]
    if check := ask.get("check"):
        return CHECKED[check]
    if ask["kind"] == "numbers":
        wanted = ask["answer"]
        if isinstance(wanted, str):
            texts = [f"{x:g}" for x in at(wanted)]
        else:
            values = [float(at(p)) if isinstance(p, str) else at(p[0]) / at(p[1]) for p in wanted]
            texts = [f"{x:g}" for x in values]
        return ["1234"] * len(texts), texts
    place = ask.get("answer")
    if place == "updated":
        place = int(step["round"] not in run["ledger"]["round"])
    elif "separated" in ask:
        kinds = [runs[name]["verdict"]["kind"] for name in ask["separated"]]
        place = kinds.index("separated")
    elif "right_of" in ask:
        place = [run["right"][name] for name in ask["right_of"]].index(True)
    elif "equals" in ask:
        place = ask["options"].index(str(at(ask["equals"])))
    elif "slower" in ask:
        growth = [run[name][-1] / run[name][0] for name in ask["slower"]]
        place = growth.index(max(growth))
    elif ask["kind"] == "pick":
        place = at(place)
    return (1 if place == 0 else 0), place


def open_lesson(page: Page, number: int, step: int = 0) -> None:
    """Change the address of the page to that of a lesson, and wait until its step is shown.

    The page reads its address when it hears of the change, so a step shown before says nothing.
    """
    link = f"#/lesson/{number}?step={step}" if step else f"#/lesson/{number}"
    page.evaluate(
        """(link) => new Promise((done) => {
          window.addEventListener("hashchange", () => done(), { once: true });
          window.location.hash = link;
        })""",
        link,
    )
    page.wait_for_selector(f"body[data-step='{number}/{step}']")


class Student:
    """Plays lessons: `by` is "keys", for the keyboard alone, or "touch".

    `look` is called with the name of each step, and of each question before it is answered.
    """

    def __init__(self, page: Page, by: str, look: Callable[[str], None] | None = None) -> None:
        self.page, self.by, self.look = page, by, look or (lambda _: None)

    def play(self, number: int) -> None:
        """Go through a lesson; each question gets a wrong answer and a hint, then the right one."""
        for i, step in enumerate(steps_of(number)):
            where, now = f"{number}/{i}", self._now()
            assert now["step"] == where
            if "ask" in step:
                assert now["waits"], where
                wrong, right = answers(number, step)
                if wrong is not None:
                    self.look(f"{where}-asks")
                    self.give(step, wrong)
                    assert step["ask"]["hint"] in self._now()["reply"], where
                self.give(step, right)
                now = self._now()
                assert not now["asks"], where
                assert step["ask"]["kind"] == "label" or now["reply"].startswith("✓"), (where, now)
            assert now["words"], where
            assert "undefined" not in now["all"], (where, now)
            self.look(where)
            if not now["waits"]:
                self._forward()
        assert self.page.is_visible("#next")

    def _now(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(
            """() => {
              const at = (id) => document.getElementById(id);
              return { step: document.body.dataset.step, waits: at("forward").disabled,
                asks: !at("ask").hidden, reply: at("reply").textContent,
                words: at("words").textContent, all: document.body.innerText };
            }"""
        )
        return found

    def _forward(self) -> None:
        if self.by == "keys":
            self.page.keyboard.press("ArrowRight")
        else:
            self.page.tap("#forward")

    def give(self, step: dict[str, Any], answer: Any) -> None:
        """Give an answer and have it checked."""
        if step["ask"]["kind"] == "goal":
            self._move(answer)
        elif isinstance(answer, list):
            for j, text in enumerate(answer):
                field = f"#answers label:nth-child({j + 1}) input"
                if text in ENDS:
                    self._slide(field, text)
                    continue
                self._into(field)
                self.page.keyboard.press("Control+a")
                self.page.keyboard.type(text)
            self._press("#check")
        else:
            place = "last-child" if answer == "give up" else f"nth-child({answer + 1})"
            self._press(f"#answers > :{place}")

    def _into(self, selector: str) -> None:
        """Bring the focus to an element: with Tab alone, or with a finger."""
        if self.by == "touch":
            self.page.tap(selector)
            return
        for _ in range(60):
            if self.page.evaluate(f"document.activeElement.matches({selector!r})"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def _slide(self, selector: str, end: str) -> None:
        """Bring a slider to one of its ends."""
        if self.by == "keys":
            self._into(selector)
            self.page.keyboard.press(ENDS[end])
            return
        box = self.page.locator(selector).bounding_box()
        assert box is not None
        x = 2.0 if end == "least" else box["width"] - 2
        self.page.tap(selector, position={"x": x, "y": box["height"] / 2})

    def _press(self, selector: str) -> None:
        self._into(selector)
        if self.by == "keys":
            self.page.keyboard.press("Enter")

    def _move(self, move: Any) -> None:
        if move == "nothing":
            pass
        elif self.by == "keys":
            point, key, times = move
            self._into("#picture")
            for one in ["Enter"] * (point + 1) + [key] * times:
                self.page.keyboard.press(one)
        else:
            point, key, times = move
            place = self.page.locator("#picture circle:not(.ring)").nth(point)
            self.page.locator("#picture").scroll_into_view_if_needed()
            disc = place.bounding_box()
            assert disc is not None
            unit = self.page.evaluate(
                "() => { const { width, height } = document.getElementById('picture')"
                ".getBoundingClientRect(); return 0.9 * Math.min((width - 48) / 12,"
                " (height - 48) / 10); }"
            )
            across, up = (d * times / 4 * unit for d in KEYS[key])
            x, y = disc["x"] + disc["width"] / 2, disc["y"] + disc["height"] / 2
            touch = self.page.context.new_cdp_session(self.page)
            # a finger that leaves the glass while it moves flings, and the next tap only stops that
            for i in (*range(9), *[8] * 6):
                at = {"x": x + i / 8 * across, "y": y - i / 8 * up}
                kind = "touchMove" if i else "touchStart"
                touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
                self.page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))")
            touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self._press("#check")


def played(run: dict[str, Any], epochs: int | None = None) -> tuple[Any, Additive]:
    """What `play` makes of the same examples."""
    block = sources.block(np.array(run["points"], dtype=float), run["labels"])
    bias = run.get("bias", True)
    learner = Additive(
        block.rows.dim,
        bias=bias,
        margin=run["margin"] if run.get("learner") == "margin" else 0,
        rate=run.get("rate", 1),
        start=np.array(run["start"], dtype=float) if "start" in run else None,
        averaging=True,
    )
    return play(block, learner, epochs=epochs or run["passes"]), learner


def drawn_sets(n: int, *, dim: int = 2) -> list[dict[str, Any]]:
    dice = random.Random(23)
    sets = []
    for _ in range(n):
        rows = dice.randint(1, 7)
        points = [[dice.randint(-24, 24) / 8 for _ in range(dim)] for _ in range(rows)]
        tilt = [dice.randint(-3, 3) for _ in range(dim)]
        sums = [sum(a * b for a, b in zip(tilt, x, strict=True)) for x in points]
        labels = [dice.choice([-1, 1]) if dice.random() < 0.1 else 1 if s > 0 else -1 for s in sums]
        eta = dice.choice([0, 0, 0.5, 2])
        kind = "margin" if eta else "perceptron"
        sets.append(
            {"points": points, "labels": labels, "bias": dice.random() < 0.5, "learner": kind,
             "margin": eta, "passes": 40}
        )  # fmt: skip
    return sets


def compare_with_engine(page: Page, sets: list[dict[str, Any]], *, proofs: int) -> None:
    """Check that the page's own perceptron makes the engine's run of each set, to the last bit.

    The first `proofs` sets are also certified, and the page's best margin compared.
    """
    found = page.evaluate(
        """async (sets) => {
          const { runHere, bestMargin } = await import("/perceptron.js");
          return sets.map((one) => {
            const { ledger: { round, row, score }, final, kind, average } = runHere(one);
            const best = bestMargin(one.points, one.labels);
            return { ledger: { round, row, score }, final, kind, average, best };
          });
        }""",
        sets,
    )
    for i, (one, here) in enumerate(zip(sets, found, strict=True)):
        made, learner = played(one)
        ledger, shown = made.ledger, here["ledger"]
        assert here["kind"] == made.verdict, one
        assert shown["round"] == ledger.rounds.tolist(), one
        assert shown["row"] == ledger.rows.tolist()
        assert shown["score"] == ledger.scores.tolist()
        assert here["final"] == learner.weights.tolist()
        assert here["average"] == learner.average.tolist()
        if i < proofs:
            block = sources.block(np.array(one["points"]), one["labels"])
            proof = certify(block, fit_intercept=False, margin_rtol=1e-9)
            bound = proof.mistake_bound
            assert (here["best"] is None) == (bound is None), one
            if bound is not None:
                close = abs(here["best"]["gamma"] - proof.margin.low)
                assert close <= 1e-6 * proof.margin.low, one
