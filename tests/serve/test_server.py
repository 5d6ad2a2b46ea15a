"""The service as a process of its own: slow clients, a full disk, the page in a browser."""

from __future__ import annotations

import http.client
import json
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from helpers.services import Local, examples
from novikoff.serve import Client, Refused

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SMALL_DISK = "mount -t tmpfs -o size=1m none {0} && head -c 300000 /dev/zero > {0}/other && exec "


@contextmanager
def served(folder: Path, *options: str, on_small_disk: bool = False) -> Iterator[tuple[str, int]]:
    """The address of a server, and its process."""
    command = [sys.executable, "-m", "novikoff", "serve", str(folder), "--port", "0", *options]
    if on_small_disk:  # which only the server sees
        disk = SMALL_DISK.format(folder.parent)
        if shutil.which("unshare") is None:
            pytest.skip("a file system cannot be mounted here")
        command = ["unshare", "-rm", "sh", "-c", disk + shlex.join(command)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if not (address := process.stdout.readline().strip("/\n")):
            assert on_small_disk, "the server did not start"
            pytest.skip("a file system cannot be mounted here")
        try:
            yield address, process.pid
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("service") / "it") as (address, _):
        yield address


def test_a_signal_that_comes_before_the_server_runs_ends_it(tmp_path: Path) -> None:
    with served(tmp_path / "it"):
        pass


def test_a_signal_under_load_ends_it_when_what_was_begun_is_answered(tmp_path: Path) -> None:
    def learn(address: str) -> int:
        learned, client = 0, Client(address, attempts=1)
        with suppress(OSError, Refused):
            for x, y in cycle(examples(50)):
                client.learn("m", [(x, y)])
                learned += 1
        client.close()
        return learned

    with ThreadPoolExecutor(8) as pool:
        with served(tmp_path / "it") as (address, _):
            client = Client(address)
            client.create("m")
            threads = [pool.submit(learn, address) for _ in range(8)]
            while client.summary("m")["labelled"] < 200:
                pass
            client.close()
        answered = sum(one.result() for one in threads)
    again = Local(tmp_path / "it")
    assert again.service.models["m"].protocol.labelled == answered >= 200
    assert again.service.replayed == 0  # the snapshot of the end has them all
    again.close()


def test_an_address_that_others_can_reach_needs_tokens_which_are_not_printed(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "novikoff", "serve", str(tmp_path / "it"), "--port", "0"]
    open_to_all = [*command, "--host", "0.0.0.0"]
    refused = subprocess.run(open_to_all, capture_output=True, text=True, check=False, timeout=60)
    assert (refused.returncode, "give --token-file" in refused.stderr) == (2, True)
    assert not (tmp_path / "it").exists()
    (tmp_path / "tokens").write_text("admin very-secret-0123456789\n")
    with subprocess.Popen(
        [*open_to_all, "--token-file", str(tmp_path / "tokens")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip("/\n").replace("0.0.0.0", "127.0.0.1")
        client = Client(address, token="very-secret-0123456789")
        client.create("m")
        client.close()
        stranger = Client(address, token="wrong-secret-0123456789")
        with pytest.raises(Refused, match="token"):
            stranger.summary("m")
        stranger.close()
        process.send_signal(signal.SIGTERM)
        printed = process.stdout.read()
    assert process.returncode == 0
    assert "secret" not in printed


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_over_tls_only_a_client_that_trusts_the_certificate_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")
    made = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"
        " -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -out"
    )
    subprocess.run(
        [*made.split(), certificate, "-keyout", key], check=True, capture_output=True, timeout=60
    )
    with served(tmp_path / "it", "--tls-cert", certificate, "--tls-key", key) as (address, _):
        assert address.startswith("https://127.0.0.1:")
        stranger = Client(address, attempts=1)
        with pytest.raises(ssl.SSLCertVerificationError, match="self-signed"):
            stranger.create("m")
        stranger.close()
        plain = Client(address.replace("https", "http"), attempts=1)
        with pytest.raises((OSError, http.client.HTTPException)):
            plain.create("m")
        plain.close()
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
        client = Client(address)
        client.create("m")
        for x, y in examples(20):
            client.reveal("m", client.predict("m", x)["ticket"], y)
        assert client.summary("m")["labelled"] == 20
        client.close()


def test_a_hundred_slow_clients_and_a_bad_name_stop_neither_a_fast_client_nor_another_model(
    address: str,
) -> None:
    client, place = Client(address), address.removeprefix("http://")
    for name in ("slow", "fast"):
        client.create(name)
    body = json.dumps({"features": {"a": 1}}).encode()
    head = f"POST /v1/models/slow/predict HTTP/1.1\r\nHost: {place}\r\nContent-Length: {len(body)}"
    whole = head.encode() + b"\r\n\r\n" + body
    host, _, port = place.partition(":")
    with ExitStack() as stack:
        lines = {}
        for k in range(100):
            line = stack.enter_context(socket.create_connection((host, int(port)), 60))
            lines[line] = len(whole) * k // 100
            line.sendall(whole[: lines[line]])
        for x, y in examples(20):
            client.reveal("fast", client.predict("fast", x)["ticket"], y)
            with pytest.raises(Refused, match="there is no model 'none'"):
                client.predict("none", x)
        assert client.summary("fast")["labelled"] == 20
        assert client.summary("slow")["asked"] == 0
        for line, begun in lines.items():  # each is answered once it has sent the rest
            line.sendall(whole[begun:])
            answer = http.client.HTTPResponse(line)
            answer.begin()
            assert answer.status == 200
    assert client.summary("slow")["asked"] == 100
    client.close()


def test_on_a_full_disk_nothing_is_acknowledged_and_it_goes_on_when_there_is_room(
    tmp_path: Path,
) -> None:
    (tmp_path / "disk").mkdir()
    some = examples(4000)
    with served(tmp_path / "disk" / "it", on_small_disk=True) as (address, pid):
        client = Client(address, attempts=1)
        client.create("m", hash_bits=8)
        learned, refusals = 0, list[Refused]()
        for size in (50, 5, 1):
            while len(refusals) < 1 + (size < 50) + (size < 5):
                try:
                    client.learn("m", some[learned : learned + size])
                    learned += size
                except Refused as refused:
                    refusals.append(refused)
        assert {one.status for one in refusals} == {503}
        assert "full" in str(refusals[-1])
        ready = http.client.HTTPConnection(address.removeprefix("http://"))
        ready.request("GET", "/readyz")
        assert ready.getresponse().status == 503
        ready.close()
        assert client.summary("m")["labelled"] == learned
        Path(f"/proc/{pid}/root{tmp_path}/disk/other").unlink()
        client.learn("m", some[learned : learned + 50])
        assert client.summary("m")["labelled"] == learned + 50
        client.close()


def test_no_request_drawn_from_the_description_makes_the_server_fail(address: str) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    client, statuses = Client(address), set[int]()
    for name in ("drawn", "words"):
        client.create(name, text=["text"] if name == "words" else [])
    client.close()

    def check(case: Any) -> None:
        if case.path_parameters and case.method == "POST":
            case.path_parameters["name"] = "drawn" if case.body is None else "words"
        answer = case.call()
        statuses.add(answer.status_code)
        assert answer.status_code < 500, answer.text
        assert "Traceback" not in answer.text
        if answer.status_code >= 400:
            assert "application/problem+json" in answer.headers["content-type"]

    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    for operation in described.get_all_operations():
        few = settings(max_examples=8, suppress_health_check=[*HealthCheck])
        strategy = operation.ok().as_strategy()
        drawn: Any = few(given(strategy)(check))  # type: ignore[no-untyped-call]
        drawn()
    assert statuses >= {200, 201, 404, 422}


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_page_shows_the_mistakes_of_each_model_as_they_grow(
    address: str, tmp_path: Path
) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    client = Client(address)
    client.create("spam </b>", learner="perceptron", ledger=True)
    some = [({f"w{k % 4}": 1, "all": 1}, "ham" if k % 4 < 2 else "spam") for k in range(60)]
    client.learn("spam </b>", some[:30])
    client.create("one")
    client.learn("one", some[:1])
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page, console = browser.new_page(), list[str]()
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.goto(address)
        section = page.locator("section", has_text="spam </b>")
        section.locator(".counts", has_text="30 labels").wait_for()
        one = page.locator("section", has_text="one").locator(".counts")
        assert one.inner_text().startswith("1 label · 1 mistake (")
        client.learn("spam </b>", some[30:])
        section.locator(".counts", has_text="60 labels").wait_for()
        points = section.locator("polyline").get_attribute("points")
        assert points is not None
        assert len(points.split()) == 61
        known = client.summary("spam </b>")
        assert f"Mistake bound of this run: {known['bound']:,}." in section.inner_text()
        section.screenshot(path=tmp_path / "page.png")
        browser.close()
    client.close()
    assert console == []
