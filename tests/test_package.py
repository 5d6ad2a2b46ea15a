"""The package as it is installed: what importing it loads, what its commands print."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import novikoff
from helpers.command_line import run
from helpers.processes import in_a_new_process
from novikoff.cli.main import main


def test_importing_it_loads_nothing_heavy() -> None:
    loaded = in_a_new_process("import sys, novikoff; print(*sys.modules)").split()
    assert "novikoff" in loaded
    assert not {"numpy", "scipy", "sklearn", "pyarrow", "rich"} & set(loaded)


def test_learning_without_estimators_needs_neither_scipy_nor_scikit_learn() -> None:
    code = (
        "import sys; from novikoff import Additive, guarantees, play, readings, sources, stream;"
        "run = play(sources.tight(3), Additive(3)); guarantees.novikoff(run.ledger, [1, 1, 1]);"
        "print(*sys.modules)"
    )
    assert not {"scipy", "sklearn", "pyarrow"} & set(in_a_new_process(code).split())


def test_stream_is_light_until_its_names_are_used() -> None:
    code = (
        "import sys; from novikoff import stream; before = 'numpy' in sys.modules;"
        "print(before, *(callable(getattr(stream, name)) for name in stream.__all__))"
    )
    assert in_a_new_process(code) == "False True True True True True True"


def test_every_room_says_what_belongs_there_and_what_does_not() -> None:
    root = Path(novikoff.__file__).parent
    rooms = [path for path in root.rglob("__init__.py") if path.parent != root]
    assert len(rooms) >= 16
    for room in rooms:
        words = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8"))) or ""
        first, _, rest = words.partition("\n\n")
        assert first.endswith("."), room
        assert rest.endswith("."), room


def test_play_is_the_function_however_it_is_reached() -> None:
    code = (
        "import novikoff.runs.loop, novikoff;"
        "print(callable(novikoff.play), 'play' in dir(novikoff))"
    )
    assert in_a_new_process(code) == "True True"
    with pytest.raises(AttributeError, match="no attribute 'Perceptrom'"):
        novikoff.Perceptrom  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("package", [novikoff, novikoff.guarantees, novikoff.stream])
def test_every_public_name_of_the_stub_can_be_had(package: Any) -> None:
    stub = Path(f"{package.__file__}i").read_text()
    assert package.__all__ == sorted(re.findall(r" as (\w+)", stub))
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_the_package_can_be_imported_from_a_zip_file(tmp_path: Path) -> None:
    home = Path(novikoff.__file__).parent
    with zipfile.ZipFile(tmp_path / "novikoff.zip", "w") as archive:
        for name in ("__init__.py", "__init__.pyi", "_lazy.py"):
            archive.write(home / name, f"novikoff/{name}")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'novikoff.zip')!r}); import novikoff;"
    assert "play" in in_a_new_process(f"{code} print(novikoff.__all__)")


def test_the_version_is_said_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert novikoff.__version__ == version("novikoff")
    monkeypatch.setattr(sys, "argv", ["novikoff", "--version"])
    main()
    assert capsys.readouterr().out == f"novikoff {novikoff.__version__}\n"
    assert run("--version").stdout == f"novikoff {novikoff.__version__}\n"


def test_the_stubs_and_the_mark_of_a_typed_package_ship() -> None:
    home = Path(novikoff.__file__).parent
    assert (home / "py.typed").exists()
    assert {stub.name for stub in home.rglob("*.pyi")} == {"_core.pyi", "__init__.pyi"}
    assert (home / "data" / "spamassassin.npz").exists()


def test_it_can_be_run_as_a_module() -> None:
    command = [sys.executable, "-m", "novikoff", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == f"novikoff {novikoff.__version__}\n"


def test_ctrl_c_while_it_is_loading_leaves_no_traceback() -> None:
    code = (
        "import sys; from novikoff.cli.main import main\n"
        "class Press:\n"
        "    def find_spec(self, *_): raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Press()); main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "demo"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "novikoff: interrupted\n")


def test_garbage_is_collected_while_a_verb_runs_but_not_what_was_loaded() -> None:
    code = (
        "import gc; from novikoff.cli import demo, main\n"
        "def shown() -> None: print(gc.isenabled(), gc.get_freeze_count() > 10_000)\n"
        "demo.demo = shown; main.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "demo"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True True\n"


def test_help_ends_in_an_example() -> None:
    for words in (["--help"], ["demo", "--help"]):
        answer = run(*words)
        assert answer.exit_code == 0
        assert "Example: novikoff demo" in answer.stdout


def test_a_wrong_command_is_a_usage_error() -> None:
    for words in (["lern"], ["demo", "--seed", "-1"], ["demo", "--seed", "x"]):
        assert run(*words).exit_code == 2


def test_the_demo_tells_the_whole_story() -> None:
    answer = run("demo")
    assert answer.exit_code == 0
    for words in (
        "6,046 messages, 1,896 of them spam",
        "Verdict: separated, after 22 passes over the 4,837 messages and 1,170 mistakes",
        "the bound holds",
        "Largest weights for spam:",
        "Largest weights for ham:",
        "final",
        "average",
        "vote",
    ):
        assert words in answer.stdout, words


def test_the_demo_prints_where_not_every_sign_can_be() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from novikoff.cli.main import main; main()", "demo"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"Verdict: separated" in done.stdout
    assert b"at most (R/gamma)^2 = 4,872 mistakes" in done.stdout


def test_the_demo_is_stopped_by_a_closed_pipe_without_a_traceback() -> None:
    command = f"{sys.executable} -c 'from novikoff.cli.main import main; main()' demo | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONUNBUFFERED": "1"})  # fmt: skip
    assert done.stdout.startswith("6,046 messages")
    assert "Traceback" not in done.stderr


def test_what_an_extra_installs_is_named_where_it_is_missing(tmp_path: Path) -> None:
    for name, begins in (
        ("x.parquet", b"PAR1"), ("x.npy", b"\x93NUMPY"), ("x.csv.zst", b"\x28\xb5\x2f\xfd"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(begins)
    code = (
        "import sys; sys.modules.update(pyarrow=None, fsspec=None, formulaic=None); import pandas\n"
        "from novikoff import certify, certify_formula, sources\n"
        "frame = pandas.DataFrame({'a': ['x', 'y'], 'b': [0, 1]})\n"
        "uses = [(sources.read, x) for x in ('x.parquet', 'x.npy', 'x.csv.zst', 's3://x/y.csv')]\n"
        "for use, *given in [*uses, (certify, frame, [0, 1]), (certify_formula, 'b ~ a', frame)]:\n"
        "    try: use(*given)\n"
        "    except ValueError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    named = re.findall(r"pip install 'novikoff\[(\w+)\]'", done.stdout)
    assert named == ["arrow", "arrow", "arrow", "remote", "arrow", "stats"], done.stderr


def test_files_of_text_need_no_extra(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,t,y\n1,p,0\n2,q,1\n3,p,1\n")
    code = (
        "import sys; sys.modules.update(pyarrow=None, openpyxl=None, fsspec=None, pandas=None)\n"
        "from novikoff.cli.main import run\n"
        "run(['train', 'x.csv', '-o', 'x.model', '--quiet']); run(['predict', 'x.model', 'x.csv'])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout[-6:]) == (0, "0\n1\n1\n"), done.stderr


CORE = Path(__file__).parents[1] / "cpp"


@pytest.mark.skipif(not CORE.exists(), reason="the sources are not here")
def test_no_two_types_of_the_core_have_one_name() -> None:
    """The linker would keep the destructor of one for both."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(CORE.rglob("*.?pp"))]
    types = [
        name for text in texts for name in re.findall(r"^(?:struct|class) (\w+) .*{$", text, re.M)
    ]
    assert len(types) > 50
    assert sorted(set(types)) == sorted(types)
