"""The client repeats what got no answer, under the same name; and the service survives kills."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from novikoff.serve import Client, Refused

ROOT = Path(__file__).parents[2]
RESULTS = '{"results": [{}]}'
seen: list[tuple[str, str | None, Any]] = []


class Shaky(BaseHTTPRequestHandler):
    """Hangs up at first, then is not available, then answers."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen.append((self.path, self.headers["Idempotency-Key"], body))
        if len(seen) % 3 == 1:
            self.close_connection = True
            return
        status, answer = (503, '{"title": "busy"}') if len(seen) % 3 == 2 else (200, RESULTS)
        if "bad" in self.path:
            status, answer = 422, '{"title": "bad", "detail": "no"}'
        content = answer.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    seen.clear()
    with HTTPServer(("127.0.0.1", 0), Shaky) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_request_without_an_answer_is_sent_again_under_the_same_key(address: str) -> None:
    waits: list[float] = []
    client = Client(address, pause=waits.append)
    assert client.learn("my model", [({"a": 1}, "ham"), ("a text", 1)]) == [{}]
    assert len(seen) == 3
    assert seen[0] == seen[1] == seen[2]
    path, key, body = seen[0]
    assert path == "/v1/models/my%20model/learn"
    assert key is not None
    sent = [{"features": {"a": 1}, "label": "ham"}, {"text": "a text", "label": 1}]
    assert body == {"examples": sent}
    assert len(waits) == 2
    client.predict("m", {"a": 1})
    assert seen[3][2] == seen[4][2] == seen[5][2]
    assert seen[3][2]["id"]


def test_a_refusal_is_not_repeated_and_attempts_end(address: str) -> None:
    with pytest.raises(Refused, match="422 bad: no") as refused:
        Client(address, pause=lambda _: None).drop("bad", "1:1")
    assert refused.value.status == 422
    assert len(seen) == 2
    seen.clear()
    with pytest.raises(OSError):
        Client(address, attempts=1).drop("m", "1:1")
    with pytest.raises(Refused, match="503"):
        Client(address, attempts=1).drop("m", "1:1")


@pytest.mark.skipif(shutil.which("cc") is None, reason="a power loss is a library made by cc")
def test_nothing_that_was_acknowledged_is_lost_by_kills_power_losses_and_cuts() -> None:
    command = [sys.executable, str(ROOT / "bench" / "killed_service.py"), "2", "--all"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.count("nothing was lost") == 3, done.stdout + done.stderr
    assert re.search(r"2 kills, [1-9][\d,]* syncs failed", done.stdout)
