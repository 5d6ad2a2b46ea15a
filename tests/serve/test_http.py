"""The service over HTTP: what is answered, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from helpers.services import examples
from novikoff.serve.app import App, Tokens
from novikoff.serve.limits import Limits
from novikoff.serve.service import Service

SMALL = Limits(
    max_body=5000,
    max_batch=20,
    max_features=10,
    max_name=40,
    max_names=30,
    max_models=3,
    max_waiting=9,
    max_classes=4,
    max_weights=1 << 12,
)


def client_of(folder: Path, tokens: Tokens | None = None, **more: Any) -> TestClient:
    limits = more.pop("limits", Limits())
    app = App(Service(folder, limits), tokens or Tokens(), port=1963, **more)
    return TestClient(app.asgi, base_url="http://127.0.0.1:1963", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(tmp_path_factory.mktemp("service"), limits=SMALL) as client:
        client.put("/v1/models/m", json={"learner": "perceptron"})
        client.put("/v1/models/mail", json={"text": ["text"]})
        yield client


def test_a_label_told_twice_gets_the_same_answer_and_another_label_is_a_conflict(
    client: TestClient,
) -> None:
    at = "/v1/models/m"
    asked = client.post(f"{at}/predict", json={"features": {"free": 1}, "id": "mail 1"})
    assert asked.status_code == 200
    assert set(asked.json()) == {"ticket", "label", "score", "probability", "round"}
    again = client.post(f"{at}/predict", json={"id": "mail 1", "features": {"free": 1}})
    assert again.json() == asked.json()
    other = client.post(f"{at}/predict", json={"id": "mail 1", "features": {"free": 2}})
    assert other.status_code == 409
    told = {"ticket": asked.json()["ticket"], "label": "spam"}
    first = client.post(f"{at}/reveal", json=told)
    assert first.json() == client.post(f"{at}/reveal", json=told).json()
    assert client.post(f"{at}/reveal", json=told | {"label": "ham"}).status_code == 409


def test_a_name_may_have_a_slash_and_the_summary_gives_no_advice_for_python(
    tmp_path: Path,
) -> None:
    with client_of(tmp_path / "service") as client:
        assert client.put("/v1/models/a%2Fb", json={}).status_code == 201
        some = [{"features": {"x": 1}, "label": label} for label in ("ham", "spam")]
        learned = client.post("/v1/models/a%2Fb/learn", json={"examples": some})
        assert len(learned.json()["results"]) == 2
        known = client.get("/v1/models/a%2Fb/summary").json()
        assert (known["name"], known["bound"]) == ("a/b", None)
        assert known["no_bound"] == "no mistake bound is known for diagonal variances"
        assert client.get("/v1/models").json()["models"][0]["name"] == "a/b"


def test_each_element_of_a_batch_has_its_own_result_or_error(client: TestClient) -> None:
    sent = [{"features": {"a": 1}}, {"features": {"b": None}}, {"text": "no"}, 7, {"features": {}}]
    found = client.post("/v1/models/m/predict", json={"examples": sent})
    assert found.status_code == 200
    kinds = [one.get("error", {}).get("status") for one in found.json()["results"]]
    assert kinds == [None, 422, 422, 400, None]
    lines = "\n".join(map(json.dumps, sent))
    typed = {"content-type": "application/x-ndjson"}
    streamed = client.post("/v1/models/m/predict", content=lines, headers=typed)
    each = [json.loads(line) for line in streamed.text.splitlines()]
    assert [one.get("error", {}).get("status") for one in each] == kinds


def test_a_stream_ends_with_the_error_that_ended_it(client: TestClient) -> None:
    typed = {"content-type": "application/x-ndjson"}
    lines = b'{"features": {}}\n' + b"x" * 6000
    found = client.post("/v1/models/m/predict", content=lines, headers=typed).text.splitlines()
    assert json.loads(found[-1])["error"]["limit"] == "max_body"
    keyed = client.post("/v1/models/m/learn", content=b"", headers=typed | {"idempotency-key": "k"})
    assert keyed.status_code == 422


def test_a_request_with_an_idempotency_key_is_done_once(client: TestClient) -> None:
    sent = {"examples": [{"text": "free money", "label": "spam"}, {"text": 5, "label": "ham"}]}
    key = {"idempotency-key": "k1"}
    first = client.post("/v1/models/mail/learn", json=sent, headers=key)
    assert first.json()["results"][1]["error"]["status"] == 400
    assert client.post("/v1/models/mail/learn", json=sent, headers=key).json() == first.json()
    assert client.get("/v1/models/mail").json()["labelled"] == 1
    other = client.post("/v1/models/mail/learn", json={"examples": []}, headers=key)
    assert other.status_code in (200, 422)


@pytest.mark.parametrize(
    ("verb", "sent", "limit"),
    [
        ("predict", {"features": {f"w{k}": 1 for k in range(11)}}, "max_features"),
        ("predict", {"features": {"é" * 30: 1}}, "max_name"),
        ("predict", {"features": {"a": 1}, "id": "i" * 41}, "max_name"),
        ("predict", {"examples": [{"features": {}}] * 21}, "max_batch"),
        ("learn", {"features": {"a": "x" * 6000}, "label": 1}, "max_body"),
    ],
)
def test_a_limit_is_named_with_its_value(
    verb: str, sent: Any, limit: str, client: TestClient
) -> None:
    found = client.post(f"/v1/models/m/{verb}", json=sent)
    assert found.status_code in (413, 422)
    assert found.headers["content-type"] == "application/problem+json"
    assert found.json()["limit"] == limit
    assert found.json()["value"] == getattr(SMALL, limit)


@pytest.mark.parametrize(
    ("large", "limit"),
    [({f"w{k}": 1 for k in range(11)}, "max_features"), ({"w" * 60: 1}, "max_name")],
)
def test_of_a_batch_only_what_exceeds_a_limit_is_refused(
    large: dict[str, int], limit: str, client: TestClient
) -> None:
    sent = {"examples": [{"features": x} for x in ({"a": 1}, large, {"b": 1})]}
    first, second, third = client.post("/v1/models/m/predict", json=sent).json()["results"]
    assert third["round"] == first["round"] + 1
    assert second["error"]["limit"] == limit


def test_models_and_names_have_limits_too(tmp_path: Path) -> None:
    with client_of(tmp_path, limits=SMALL) as client:
        for k in range(3):
            assert client.put(f"/v1/models/{k}", json={}).status_code == 201
        assert client.put("/v1/models/3", json={}).json()["limit"] == "max_models"
        assert client.put("/v1/models/4", json={"max_waiting": 10}).json()["limit"] == "max_waiting"
        assert client.put("/v1/models/4", json={"max_classes": 5}).json()["limit"] == "max_classes"
        assert client.put("/v1/models/4", json={"hash_bits": 13}).json()["limit"] == "max_weights"
        for k in range(4):
            one = {"features": {f"{k} {j}": 1 for j in range(9)}, "label": k % 2}
            found = client.post("/v1/models/0/learn", json=one)
        assert found.json()["limit"] == "max_names"


def test_a_model_is_made_once_and_deleted_with_its_etag(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        at = "/v1/models/a;'%20%3Cscript%3E"
        assert client.put(at, json={"learner": "winnow"}).status_code == 201
        assert client.put(at, json={"learner": "winnow"}).status_code == 200
        assert client.put(at, json={"learner": "voted"}).status_code == 409
        assert client.put("/v1/models/b", json={"learner": "nothing"}).status_code == 422
        assert client.put("/v1/models/b", json={"margin": 1}).status_code == 422
        assert client.delete(at).status_code == 428
        assert client.delete(at, headers={"if-match": '"0"'}).status_code == 412
        tag = client.get(at).headers["etag"]
        assert client.delete(at, headers={"if-match": tag}).status_code == 200
        assert client.get(at).status_code == 404


def test_the_model_file_has_an_etag_and_can_start_another_model(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        client.put("/v1/models/m", json={"learner": "perceptron", "ledger": True})
        assert client.get("/v1/models/m/model").status_code == 409
        sent = [{"features": x, "label": y} for x, y in examples(40)]
        client.post("/v1/models/m/learn", json={"examples": sent})
        found = client.get("/v1/models/m/model")
        tag = {"if-none-match": found.headers["etag"]}
        assert client.get("/v1/models/m/model", headers=tag).status_code == 304
        made = client.post("/v1/models/n", content=found.content)
        assert made.status_code == 201
        assert made.json()["settings"] == client.get("/v1/models/m").json()["settings"]
        assert client.get("/v1/models/n/model").content == found.content
        assert client.post("/v1/models/o", content=b"something else").status_code == 422
        assert "no model file" in client.post("/v1/models/o").json()["detail"]
        assert client.get("/v1/models/o").status_code == 404
        known = client.get("/v1/models/m/summary").json()
        assert (known["labelled"], known["waiting"], len(known["curve"])) == (40, 0, 40)
        weights = client.get("/v1/models/m/weights?n=3").json()["weights"]
        assert len(weights) == 3
        assert abs(weights[0][1]) >= abs(weights[2][1])
        ticket = client.post("/v1/models/m/predict", json=sent[0] | {"label": 1})
        assert ticket.status_code == 400  # a label is for learn
        asked = client.post("/v1/models/m/predict", json={"features": sent[0]["features"]}).json()
        why = client.get("/v1/models/m/explain", params={"ticket": asked["ticket"]}).json()
        assert why["score"] == asked["score"]


def test_each_role_may_do_its_own(tmp_path: Path) -> None:
    words = {role: f"{role}-0123456789abcdef" for role in ("predict", "reveal", "admin")}
    file = tmp_path / "tokens"
    file.write_text("# who may\n" + "".join(f"{role} {one}\n" for role, one in words.items()))
    with client_of(tmp_path / "service", Tokens(file), names=()) as client:
        statuses = {}
        for role, one in [("nobody", "x"), *words.items()]:
            bearer = {"authorization": f"Bearer {one}"}
            statuses[role] = [
                client.put("/v1/models/m", json={}, headers=bearer).status_code,
                client.post(
                    "/v1/models/m/predict", json={"features": {}}, headers=bearer
                ).status_code,
                client.post("/v1/models/m/drop", json={"ticket": "x"}, headers=bearer).status_code,
                client.get("/metrics", headers=bearer).status_code,
                client.get("/livez", headers=bearer).status_code,
            ]
    assert statuses == {
        "nobody": [401, 401, 401, 401, 200],
        "predict": [403, 404, 403, 200, 200],
        "reveal": [403, 403, 404, 200, 200],
        "admin": [201, 200, 404, 200, 200],
    }


def test_requests_of_other_pages_and_for_other_hosts_are_refused(client: TestClient) -> None:
    assert client.get("/livez", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/livez", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get("/livez").json() == {"status": "live"}
    page = client.get("/")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]


def test_without_a_disk_nothing_is_acknowledged_and_predictions_go_on_if_so_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    for unjournalled in (False, True):
        with client_of(tmp_path / f"{unjournalled}", unjournalled=unjournalled) as client:
            client.put("/v1/models/m", json={})
            for x, y in examples(4):
                client.post("/v1/models/m/learn", json={"features": x, "label": y})
            with monkeypatch.context() as patch:
                patch.setattr("novikoff.serve.journal.Journal.append", full)
                patch.setattr("novikoff.serve.journal.Journal.probe", full)
                asked = client.post("/v1/models/m/predict", json={"features": x})
                told = client.post("/v1/models/m/learn", json={"features": x, "label": y})
                assert told.status_code == client.get("/readyz").status_code == 503
                assert told.headers["retry-after"] == "1"
                assert asked.status_code == (200 if unjournalled else 503)
                if unjournalled:
                    assert asked.json()["ticket"] is None
            assert client.get("/readyz").status_code == 200
            assert client.get("/v1/models/m").json()["labelled"] == 4


def test_overload_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    with client_of(tmp_path, limits=Limits(max_queue=0)) as client:
        found = client.put("/v1/models/m", json={})
        assert (found.status_code, found.headers["retry-after"]) == (503, "1")
        assert found.headers["content-type"] == "application/problem+json"
        assert client.get("/v1/models").json()["models"] == []


def test_a_model_that_went_wrong_is_told_in_the_summary_and_the_metrics(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        client.put("/v1/models/m", json={"learner": "perceptron", "window": 100})
        for k in range(2_000):  # from then on the labels are drawn by lot
            label = k % 2 if k < 1_500 else random.Random(k).getrandbits(1)
            sent = {"features": {f"w{k % 2}": 1}, "label": label}
            client.post("/v1/models/m/learn", json=sent)
            if k == 1_499:
                assert client.get("/v1/models/m/summary").json()["drift"] is None
        drift = client.get("/v1/models/m/summary").json()["drift"]
        assert 1_500 < drift["labelled"] <= 1_700
        told = f'novikoff_drift_labels{{model="m"}} {drift["labelled"]:.1f}'
        assert told in client.get("/metrics").text.splitlines()


def test_metrics_are_what_prometheus_expects(client: TestClient) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    found = client.get("/metrics")
    families = {one.name: one for one in text_string_to_metric_families(found.text)}
    needed = {"predictions", "reveals", "mistakes", "waiting", "journal_bytes", "replay_seconds"}
    needed |= {"label_shift_ratio", "drift_labels"}
    assert {f"novikoff_{name}" for name in needed | {"commit_seconds"}} <= set(families)
    assert families["novikoff_mistakes"].type == "counter"
    assert all("." in str(sample.value) for sample in families["novikoff_waiting"].samples)


def test_the_description_names_every_path(client: TestClient) -> None:
    found = client.get("/openapi.json").json()
    assert found["openapi"] == "3.1.0"
    for verb in ("predict", "reveal", "learn", "drop"):
        assert "post" in found["paths"][f"/v1/models/{{name}}/{verb}"]
    for method in ("put", "post"):  # they make a model
        assert {"200", "201"} <= set(found["paths"]["/v1/models/{name}"][method]["responses"])
    assert {"Example", "Predicted", "Problem", "Settings"} <= set(found["components"]["schemas"])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(["features", "text", "id", "label", "ticket", "examples", "learner", "x"])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    verb=st.sampled_from(["predict", "reveal", "learn", "drop", ""]),
    body=st.dictionaries(KEYS, VALUES, max_size=4).map(json.dumps).map(str.encode)
    | st.binary(max_size=60),
    kind=st.sampled_from(["application/json", "application/x-ndjson"]),
)
def test_no_body_makes_the_server_fail(
    verb: str, body: bytes, kind: str, client: TestClient
) -> None:
    at, headers = f"/v1/models/m/{verb}".rstrip("/"), {"content-type": kind}
    found = client.request("POST" if verb else "PUT", at, content=body, headers=headers)
    assert found.status_code in (200, 400, 404, 409, 410, 413, 422)
    assert "Traceback" not in found.text


def test_a_third_label_is_refused_with_what_a_client_can_do(client: TestClient) -> None:
    for label in ("ham", "spam"):
        client.post("/v1/models/mail/learn", json={"text": "free", "label": label})
    found = client.post("/v1/models/mail/learn", json={"text": "free", "label": "other"}).json()
    assert "label 'other' is not one of the classes, 'ham' and 'spam'" in found["detail"]
    assert '"multiclass": true' in found["detail"]
    weighed = {"text": "free", "label": "ham", "weight": 2}
    assert (
        '"weight": "weight"' in client.post("/v1/models/mail/learn", json=weighed).json()["detail"]
    )
