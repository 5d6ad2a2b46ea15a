"""The lessons of the page: their runs are the engine's, and a student can play each to its end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from helpers.access import faults
from helpers.command_line import error, stdout_of
from helpers.lessons import (
    Student,
    answers,
    compare_with_engine,
    drawn_sets,
    open_lesson,
    played,
    steps_of,
)
from novikoff import Additive, Dual, Perceptron, certify, guarantees, play, sources
from novikoff.show.lab import beyond_lines
from novikoff.show.web.lessons import lesson, outlines, presets
from novikoff.show.web.replay import replay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PRESETS = {one["name"]: one for one in presets()}
NUMBERS = range(1, len(outlines()) + 1)


@pytest.fixture(scope="module")
def page(browser: Browser, site: str) -> Iterator[Page]:
    """The first lesson, opened; at the end nothing may have been written to the console."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 720})
    one, console = context.new_page(), list[str]()
    one.on("console", lambda message: console.append(message.text))
    one.on("pageerror", lambda error: console.append(str(error)))
    one.goto(site)
    one.wait_for_selector("body[data-ready]")
    yield one
    context.close()
    assert console == []


def test_no_word_of_the_list_of_lessons_is_wider_than_its_button(
    browser: Browser, site: str
) -> None:
    one = browser.new_page(viewport={"width": 390, "height": 844})
    one.goto(site)
    one.wait_for_selector("body[data-ready]")
    room = one.evaluate(
        "[...document.querySelectorAll('nav a')].map((a) => a.clientWidth - a.scrollWidth)"
    )
    assert len(room) == len(NUMBERS) + 1
    assert set(room) == {0}
    one.close()


def test_the_runs_of_the_lessons_are_those_of_play_round_for_round() -> None:
    for number in NUMBERS:
        for name, run in lesson(number)["runs"].items():
            if "ledger" not in run or "shape" in run:
                continue
            made, learner = played(run)
            ledger, shown = made.ledger, run["ledger"]
            assert shown["round"] == ledger.rounds.tolist(), (number, name)
            assert shown["row"] == ledger.rows.tolist()
            assert shown["score"] == ledger.scores.tolist()
            assert run["final"] == learner.weights.tolist()
            every = run["every"]
            assert len(every["row"]) == ledger.n_rounds
            assert every["row"] == [t % len(run["points"]) for t in range(ledger.n_rounds)]
            assert [every["score"][t - 1] for t in shown["round"]] == shown["score"]
            wrong = [
                t
                for t, (i, s) in enumerate(zip(every["row"], every["score"], strict=True), 1)
                if run["labels"][i] * s <= run["margin"]
            ]
            assert wrong == shown["round"]


def test_what_the_lessons_state_is_what_the_engine_finds() -> None:
    runs = {n: lesson(n)["runs"] for n in NUMBERS}
    assert runs[3]["main"]["radius_squared"] == "25"
    u = [3, 4]
    block = sources.block(np.array(runs[3]["main"]["points"], float), runs[3]["main"]["labels"])
    reached = guarantees.achieved_margin(u, block)
    assert reached.smallest**2 / reached.weights_squared == 1  # γ = 1
    assert runs[4]["main"]["bound"] == 25
    assert runs[5]["units"]["mistakes"] == runs[5]["units"]["bound"] == 25
    assert runs[6]["narrow"]["bound"] == 4 * runs[6]["wide"]["bound"]
    kinds = {name: run["verdict"]["kind"] for name, run in runs[7].items()}
    assert kinds == {"off": "cycle", "on": "separated"}
    for name, start, rate in (("a", -10, 1), ("b", -9, 1), ("c", -10, Fraction(1, 2))):
        assert runs[8][name]["every"]["score"][0] == start
        assert runs[8][name]["mistakes"] == -start // (5 * rate) + 1
    assert runs[9]["main"]["verdict"]["multipliers"]["shown"] == ["1"] * 4
    assert runs[10]["main"]["right"] == {"last": False, "average": True, "vote": False}
    large = runs[10]["large"]
    assert (large["margin"], large["radius_squared"]) == (40, "40")
    block = sources.block(np.array(large["points"], float), large["labels"])
    best = certify(block, fit_intercept=False, margin_rtol=1e-6)
    promise = guarantees.margin_perceptron(played(large)[0].ledger, best.weights, 40)
    assert guarantees.achieved_margin(large["final"], block).value >= promise.promised
    assert promise.promised >= best.margin.low / 3
    protocols = runs[11]["main"]
    assert protocols["teacher"]["examples"] == 3
    assert protocols["teacher"]["seen"][-1]["left"] == [protocols["concepts"].index("x₂ ∧ x₄")]
    assert protocols["halving"]["mistakes"] == protocols["halving_bound"] == 5
    assert [len(one["left"]) for one in protocols["halving"]["seen"]] == [16, 8, 4, 2, 1]
    assert protocols["con"]["mistakes"] == protocols["con_bound"] == 31
    assert [len(one["left"]) for one in protocols["con"]["seen"]] == list(range(31, 0, -1))
    asked = runs[11]["asked"]
    assert asked["asks"]["examples"] == 5
    settled = [(one["bits"].index("0") + 1, one["label"]) for one in asked["asks"]["seen"]]
    assert settled == [(1, -1), (2, 1), (3, -1), (4, 1), (5, -1)]  # one variable a question
    last = asked["asks"]["seen"][-1]["left"]
    assert [asked["concepts"][i] for i in last] == [asked["hidden"]] == ["x₁ ∧ x₃ ∧ x₅"]
    race = runs[12]["main"]
    assert race["perceptron"] == [n - 1 for n in race["n"]]
    assert race["limit_million"] == 65
    late = {name: run["mistakes"] for name, run in runs[13].items()}
    assert late == {"main": 6, "prompt": 4, "points": 4}  # at once, the protocol is `play`
    ends = runs[13]["prompt"]["events"][-1]["weights"]
    assert ends == runs[13]["points"]["final"]
    kinds = {name: run["verdict"]["kind"] for name, run in runs[14].items()}
    separated = dict.fromkeys(("main", "disc", "spirals"), "separated")
    assert kinds == {**separated, "line": "budget"}
    assert (len(runs[14]["spirals"]["points"]), runs[14]["spirals"]["mistaken"]) == (80, 50)


@pytest.mark.parametrize("name", ["main", "disc", "spirals"])
def test_the_tints_are_what_the_kernel_perceptron_of_the_engine_predicts(name: str) -> None:
    shape = {"main": "XOR", "disc": "a disc", "spirals": "two spirals"}[name]
    run, (block, kernel) = lesson(14)["runs"][name], beyond_lines(40)[shape]
    grid = run["regions"]
    (x0, y0), (x1, y1), side = (grid[key] for key in ("low", "high", "side"))
    places = [[x, y] for y in np.linspace(y0, y1, side) for x in np.linspace(x0, x1, side)]
    learner, made, signs = Dual(2, kernel=kernel), list[int](), dict(grid["signs"])
    assert signs.pop(run["sent"] + 1) == signs[run["sent"]]  # the end is after the last mistake
    while len(made) < run["sent"]:  # round by round
        for i in range(len(block)):
            made += learner.learn(block, i, i + 1)[1].rows.tolist()
            if (shown := signs.pop(len(made), None)) is not None:
                scores = learner.scores(sources.rows_of(np.array(places)))
                sure = np.abs(scores) > 1e-9  # the sums are in another order
                bits = np.unpackbits(np.frombuffer(bytes.fromhex(shown), np.uint8))[: len(scores)]
                assert (bits[sure] == (scores[sure] > 0)).all()
    assert made == run["ledger"]["row"]
    assert signs == {}


def test_a_step_of_a_lesson_has_at_most_forty_words() -> None:
    for one in outlines():
        assert "limit" not in one["title"]
        for step in one["steps"]:
            assert len(step.get("words", "").split()) <= 40, step
            ask = step.get("ask", {"kind": "label"})
            assert ask["kind"] == "label" or {"hint", "right", "text"} <= set(ask), step


def test_no_lesson_names_a_colour_that_the_dark_page_has_not() -> None:
    for one in outlines():
        words = json.dumps(one["steps"]).lower()
        assert not {"black", "white", "dark", "light", "grey"} & set(re.findall(r"[a-z]+", words))


def test_each_lesson_has_a_sheet_for_teachers() -> None:
    sheets = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text().split("\n## ")[1:]
    for number, (one, sheet) in enumerate(zip(outlines(), sheets, strict=True), 1):
        assert sheet.startswith(f"{number}. {one['title']}\n")
        for part in ("Aim", "Time", "Answers", "What students get wrong"):
            assert f"**{part}**: " in " ".join(sheet.split()), (number, part)


@pytest.mark.parametrize("number", NUMBERS)
def test_each_lesson_can_be_played_by_the_keyboard_alone(page: Page, number: int) -> None:
    open_lesson(page, number)
    Student(page, "keys").play(number)


@pytest.mark.parametrize("number", [5, 10])  # what is dragged, and what slides
def test_a_lesson_can_be_played_by_touch_on_a_phone(
    browser: Browser, site: str, number: int
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    phone = context.new_page()
    phone.goto(f"{site}#/lesson/{number}")
    phone.wait_for_selector("body[data-ready]")
    Student(phone, "touch").play(number)
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


@pytest.mark.parametrize(
    ("width", "scheme", "touch"), [(390, "light", True), (1280, "dark", False)]
)
def test_every_control_has_a_name_and_a_size_and_every_text_a_contrast(
    browser: Browser, site: str, width: int, scheme: Literal["light", "dark"], touch: bool
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 720}, color_scheme=scheme, has_touch=touch
    )
    one = context.new_page()
    assert one.evaluate("matchMedia('(pointer: coarse)').matches") == touch
    for number in NUMBERS:
        one.goto(f"{site}#/lesson/{number}")
        one.wait_for_selector(f"body[data-step='{number}/0']")
        assert faults(one) == [], number
    for other in ("explore.html", "check.html"):
        one.goto(f"{site}{other}")
        one.wait_for_load_state("networkidle")
        assert faults(one) == [], other
    context.close()


def test_the_title_of_a_panel_stands_above_it_and_names_stay_in_it(page: Page) -> None:
    for number, step in ((2, 3), (3, 1), (7, 2)):
        open_lesson(page, number, step)
        for title in page.locator("#picture .title").all():
            frame = title.locator("xpath=preceding-sibling::*[@class='frame']")
            above, below = title.bounding_box(), frame.bounding_box()
            assert above is not None
            assert below is not None
            assert above["y"] + above["height"] <= below["y"] + 1, (number, step)
            for name in frame.locator("xpath=following-sibling::*//*[@class='symbol']").all():
                inside = name.bounding_box()
                assert inside is not None
                assert inside["x"] + inside["width"] <= below["x"] + below["width"] + 1, step


def test_what_no_one_has_answered_is_not_given_away(page: Page) -> None:
    hidden = [(11, 21, "log₂"), (11, 27, "|C|"), (2, 2, "after"), (12, 1, "log₂")]
    hidden += [(3, 1, "kR²"), (3, 3, "kR²"), (3, 6, "kγ"), (13, 26, "mistakes")]
    for number, step, given_away in hidden:
        open_lesson(page, number, step)
        assert page.is_visible("#ask") == ((number, step) != (3, 1))
        assert given_away not in page.inner_text("#facts")
        assert number != 3 or given_away not in (page.text_content("#picture") or "")


def test_what_the_first_line_is_compared_with_is_said_of_each_round(page: Page) -> None:
    open_lesson(page, 1)
    page.click("#answers button")
    assert "because it has no line yet" in page.inner_text("#words")
    open_lesson(page, 2)  # whose points have their coordinates beside them
    assert "(−1, 3)" in page.inner_text("#answers")
    assert "(−1, 3)" in (page.text_content("#picture") or "")


def test_only_what_can_be_dragged_is_dragged(page: Page) -> None:
    for number, step, place, moved in (
        (9, 0, "#picture circle >> nth=3", False),
        (2, 1, "#picture .arrow polygon", True),
    ):
        open_lesson(page, number, step)
        before = page.locator("#answers input").first.input_value()
        box = page.locator(place).bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] - 90, box["y"] - 60)
        page.mouse.up()
        assert (page.locator("#answers input").first.input_value() != before) == moved
        moves = page.locator("#picture").get_attribute("class") or ""
        assert ("moves" in moves) == moved


def test_on_a_phone_the_words_stand_above_the_question(browser: Browser, site: str) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    phone.goto(f"{site}#/lesson/11")
    phone.wait_for_selector("body[data-ready]")
    order = ["#picture", ".transport", "#title", "#words", "#ask", "#facts", "details"]
    boxes = [phone.locator(one).bounding_box() for one in order]
    ends = [(box["y"], box["y"] + box["height"]) for box in boxes if box is not None]
    assert len(ends) == len(order)
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))
    phone.close()


def test_the_player_of_all_lessons_ends_with_the_reason_if_chromium_cannot_start(
    browser: Browser, tmp_path: Path
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho no display >&2; exit 3\n")
    broken.chmod(0o755)
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, root / "tools" / "play_lessons.py"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": "tests"},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "no display" in ended.stderr


def test_show_me_gives_an_answer_that_is_right(page: Page) -> None:
    for number in NUMBERS:
        for i, step in enumerate(steps_of(number)):
            ask = step.get("ask")
            if ask is None or not ("check" in ask or ask["kind"] == "goal"):
                continue
            open_lesson(page, number, i)
            wrong, _ = answers(number, step)
            Student(page, "keys").give(step, wrong)
            page.click("#reveal")
            page.wait_for_selector("#reply.right")
            shown = page.inner_text("#facts")
            assert {  # by lesson: what the picture now shows to be so
                5: "M = 23", 6: "M = 3", 7: "4 of 4", 9: "= (0, 0, 0) ✓", 10: "η\n34",
            }[number] in shown or ask.get("check") == "give up", (number, shown)  # fmt: skip


def test_of_two_lessons_asked_for_in_a_row_the_later_is_shown(page: Page) -> None:
    open_lesson(page, 2)
    held = list[Any]()
    page.route("**/lessons/3.json", lambda route: held.append(route))  # answered last
    with page.expect_request("**/lessons/3.json"):
        page.keyboard.press("3")
    page.keyboard.press("4")
    page.wait_for_selector("body[data-step='4/0']")
    with page.expect_response("**/lessons/3.json") as late:
        held[0].continue_()
    late.value.finished()
    page.unroute("**/lessons/3.json")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert page.get_attribute("body", "data-step") == "4/0"


def test_a_link_restores_the_step_of_a_lesson(page: Page) -> None:
    start = page.url.partition("#")[0]
    for link, step in [("#/lesson/7?step=3", "7/3"), ("#/lesson/99", "1/0"), ("", "1/0")]:
        page.goto("about:blank")
        page.goto(f"{start}{link}")
        page.wait_for_selector("body[data-ready]")
        assert page.get_attribute("body", "data-step") == step
    last = len(steps_of(4)) - 1
    page.goto(f"{start}#/lesson/4?step=9999")
    page.wait_for_selector(f"body[data-step='4/{last}']")
    page.keyboard.press("Home")
    page.keyboard.press("End")  # the link has passed the questions before its step
    assert page.get_attribute("body", "data-step") == f"4/{last}"
    page.keyboard.press("2")
    page.wait_for_selector("body[data-step='2/0']")
    page.click("summary")
    for button, begins in (("#save-svg", b"<svg"), ("#save-png", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.click(button)
        picture = Path(waiting.value.path()).read_bytes()
        assert picture.startswith(begins)
        assert begins != b"<svg" or b"2. One update: A point x" in picture  # the caption
    assert page.is_disabled("#forward")  # its question comes first


def test_the_perceptron_in_javascript_is_the_engine_on_dyadic_points(page: Page) -> None:
    compare_with_engine(page, drawn_sets(2_000), proofs=20)


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_notebook_shows_a_run_and_an_estimator_without_a_server(browser: Browser) -> None:
    X, y = np.array([[2.0, 1], [1, 3], [-1, -2], [-2, 1]]), ["</script>", "no", "no", "no"]
    run = play(X, y, Additive(2, bias=True), epochs=50)
    wide = play(sources.tight(9), Additive(9))
    quiet = Perceptron().fit(X, y)
    context, console = browser.new_context(), list[str]()
    page = context.new_page()
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda found: console.append(str(found)))
    for one, updates in (
        (run.show((X, y)), len(run.ledger)),
        (run.show(), len(run.ledger)),
        (wide.show(), 9),
        (quiet.show(X, y), quiet.n_updates_),
    ):
        page.set_content(one._repr_html_())
        frame = page.frame_locator("iframe")
        assert frame.locator("#where").inner_text() == f"mistake 0 of {updates}"
        frame.locator("#forward").click()
        assert frame.locator("#where").inner_text() == f"mistake 1 of {updates}"
        assert frame.locator("#words").inner_text().startswith("Round 1: ")
    context.close()
    assert console == []
    many = Perceptron().fit(np.eye(3), ["a", "b", "c"])
    with pytest.raises(ValueError, match="several runs; use runs_"):
        many.show()


def test_the_exported_site_works_from_a_file_server_and_in_a_frame(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    assert "Try it: python -m http.server" in stdout_of("web", "--export", folder)
    assert sum(file.stat().st_size for file in folder.rglob("*")) < 1_000_000
    assert "is not empty; choose a new folder" in error("web", "--export", folder)
    assert "leave out DATA" in error("web", "points.csv", "--export", tmp_path / "other")
    assert json.loads((folder / "lessons/7.json").read_text()) == json.loads(json.dumps(lesson(7)))
    course = "<link rel='icon' href='data:,'><iframe src='site/?embed=1#/lesson/2'></iframe>"
    (tmp_path / "course.html").write_text(course)
    handler = partial(QuietHandler, directory=str(tmp_path))
    context, console = browser.new_context(), list[str]()
    page = context.new_page()
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda found: console.append(str(found)))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        start = f"http://127.0.0.1:{server.server_port}"
        page.goto(f"{start}/course.html")
        frame = page.frame_locator("iframe")
        frame.locator("body[data-step='2/0']").wait_for()
        assert frame.locator("header").is_hidden()
        page.goto(f"{start}/site/explore.html")
        page.wait_for_selector("body[data-ready]")
        page.select_option("#preset", "xor")
        page.click("#run")
        assert page.get_attribute("#verdict", "data-kind") == "cycle"  # recorded, with its proof
        assert "point 0 ×1" in page.inner_text("#facts")
        page.uncheck("#bias")  # another run: made by the page
        page.click("#run")
        made = replay({**PRESETS["xor"], "bias": False})
        shown = page.locator("#ledger tr").count()
        assert (shown, page.get_attribute("#verdict", "data-kind")) == (made["sent"], "cycle")
        assert page.is_hidden("#open")
        page.select_option("#preset", "spirals")  # recorded, with a kernel
        page.click("#run")
        assert "61 mistakes" in page.inner_text("#verdict-words")
        page.fill("#gamma", "5")
        page.keyboard.press("Tab")
        page.wait_for_selector("#message.error:has-text('install novikoff and run novikoff web')")
        page.select_option("#kernel", "none")
        page.wait_for_selector("#message", state="hidden")
        page.click("#run")
        assert page.get_attribute("#plane", "data-sides") == "w"
        server.shutdown()
    context.close()
    assert console == []
