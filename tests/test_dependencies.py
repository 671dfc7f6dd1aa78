"""Which releases dependency files allow, and what that makes of a store."""

import contextlib
import os
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from hand_built import MAPPING
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scope_lint.dependencies import Releases, applicable, distribution, fit, project_folders, read
from scope_lint.model import File, Limits, Sink, Store
from scope_lint.pipeline import check
from scope_lint.sdks.schema import StoreTable
from scope_lint.sdks.stores import build
from scope_lint.sdks.strict import Fault, convert

NAMES = ["mem0ai", "google-cloud-aiplatform"]
LOCK = '[[package]]\nname = "other"\nversion = "9"\n\n[[package]]\nname = "{name}"\nversion = "{version}"\n'


def laid_out(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else textwrap.dedent(content).encode())
    return folder


def said(folder: Path, files: Mapping[str, str | bytes], name: str = "mem0ai") -> tuple[str, ...] | None:
    """The specifier sets of the releases that the files in one folder allow; None if they say nothing."""
    found = read([laid_out(folder, files)], NAMES)
    assert not found.problems
    return found.releases[name].specifiers if name in found.releases else None


ONE_FILE = [
    ("pyproject.toml", '[project]\ndependencies = ["click", "mem0ai>=1,<2"]', "<2,>=1"),
    ("pyproject.toml", '[project]\ndependencies = ["Mem0AI [graph] (>=1.5)"]', ">=1.5"),
    ("pyproject.toml", '[project.optional-dependencies]\nmemory = ["mem0ai~=2.1"]', "~=2.1"),
    ("pyproject.toml", '[dependency-groups]\nall = [{ include-group = "m" }]\nm = ["mem0ai>2"]', ">2"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "^1.2.3"', ">=1.2.3,<2"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "^0.2"', ">=0.2,<0.3"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "^0.0.3"', ">=0.0.3,<0.0.4"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "^0"', ">=0,<1"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "~1.2.3"', ">=1.2.3,<1.3"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "~1"', ">=1,<2"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "1.*"', "==1.*"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "1.0.5"', "==1.0.5"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = ">= 1.0, < 2 !=1.3"', ">=1.0,<2,!=1.3"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = { version = "^2", extras = ["graph"] }', ">=2,<3"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = { git = "https://example.org/m.git" }', ""),
    ("pyproject.toml", '[tool.poetry.group.dev.dependencies]\nmem0ai = "*"', ""),
    ("pyproject.toml", '[tool.uv]\ndev-dependencies = ["mem0ai==2.2.1"]', "==2.2.1"),
    ("pyproject.toml", '[tool.pdm.dev-dependencies]\ntest = ["mem0ai<2"]', "<2"),
    ("pyproject.toml", '[tool.hatch.envs.default]\ndependencies = ["mem0ai<2"]', "<2"),
    ("Pipfile", '[packages]\nmem0ai = "==1.0.5"', "==1.0.5"),
    ("Pipfile", '[dev-packages]\nmem0ai = {version = "*"}', ""),
    ("Pipfile.lock", '{"_meta": {}, "default": {"mem0ai": {"version": "==1.0.5"}}}', "==1.0.5"),
    ("uv.lock", LOCK.format(name="mem0ai", version="2.2.1"), "==2.2.1"),
    ("poetry.lock", LOCK.format(name="mem0ai", version="2.2.1") + '[metadata]\npython = "^3.11"\n', "==2.2.1"),
    ("pdm.lock", "[metadata]\n" + LOCK.format(name="mem0ai", version="2.2.1"), "==2.2.1"),
    ("pylock.toml", LOCK.format(name="mem0ai", version="2.2.1").replace("package", "packages"), "==2.2.1"),
    ("pylock.dev.toml", LOCK.format(name="mem0ai", version="2.2.1").replace("package", "packages"), "==2.2.1"),
    ("setup.cfg", "[options]\ninstall_requires =\n    click\n    mem0ai>=1  # for now\n", ">=1"),
    ("setup.cfg", "[options.extras_require]\nmemory = mem0ai>=1\n", ">=1"),
    ("setup.py", 'from setuptools import setup\nsetup(name="x", install_requires=["mem0ai>=1", "click"])', ">=1"),
    ("setup.py", 'import setuptools\nNEEDS = ["mem0ai>=1"]\nsetuptools.setup(install_requires=NEEDS)', ">=1"),
    ("setup.py", 'from setuptools import setup\nsetup(extras_require={"memory": ["mem0ai>=1"]})', ">=1"),
    ("requirements.txt", "click\nmem0ai >= 1.0, < 2  # pinned soon\n", "<2,>=1.0"),
    ("requirements.txt", "mem0ai==2.2.1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n", "==2.2.1"),
    ("requirements.txt", 'mem0ai[graph]==2.2.1 ; python_version > "3.9"\n', "==2.2.1"),
    ("requirements.txt", "mem0ai==2.2.1\r\nclick\r\n", "==2.2.1"),
    ("requirements.txt", "mem0ai==2.2.1\n".encode("utf-16"), "==2.2.1"),
    ("requirements.txt", b"\xef\xbb\xbfmem0ai==2.2.1\n", "==2.2.1"),
    ("requirements.txt", "mem0ai @ git+https://example.org/mem0.git@v2#egg=mem0ai\n", ""),
    ("requirements-dev.txt", "mem0ai>=1\n", ">=1"),
    ("dev-requirements.txt", "mem0ai>=1\n", ">=1"),
    ("requirements/prod.txt", "mem0ai>=1\n", ">=1"),
    ("constraints.txt", "mem0ai<2\n", "<2"),
    ("environment.yml", "dependencies:\n  - python=3.11\n  - pip:\n    - 'mem0ai==2.2.1'\n    - click\n", "==2.2.1"),
    ("environment.yaml", "dependencies:\n- pip\n- pip:\n  # the memory\n  - mem0ai>=2 # for now\n", ">=2"),
]


@pytest.mark.parametrize(("name", "content", "expected"), ONE_FILE)
def test_what_one_file_says(name: str, content: str | bytes, expected: str, tmp_path: Path) -> None:
    assert said(tmp_path, {name: content}) == (expected,)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "requirements.txt",
            "# mem0ai==2.2.1\nmem0ai-extras==1\nmy-mem0ai==1\n--index-url https://mem0ai.example.org\n",
        ),
        ("pyproject.toml", '[project]\nname = "mem0ai"\nversion = "3"\ndescription = "mem0ai==2"\n'),
        ("pyproject.toml", 'project = "mem0ai"\ntool = { poetry = [], pdm = 3, hatch = { envs = [1] } }\n'),
        ("setup.py", 'from setuptools import setup\nsetup(install_requires=[line for line in open("mem0ai")])'),
        ("environment.yml", "dependencies:\n  - mem0ai=2.2.1\n  - pip:\n    - click\n  - mem0ai\n"),
        ("uv.lock", LOCK.format(name="mem0ai", version="0.0.0") + 'source = { editable = "." }\n'),
        ("poetry.lock", LOCK.format(name="mem0ai", version="0.0.0") + '[package.source]\ntype = "directory"\n'),
        ("Pipfile.lock", '["mem0ai"]'),
        ("notes.txt", "mem0ai==2.2.1\n"),
    ],
)
def test_what_is_no_requirement_says_nothing(name: str, content: str, tmp_path: Path) -> None:
    assert said(tmp_path, {name: content}) is None


@pytest.mark.parametrize("name", ["Google_Cloud.AIPlatform", "google-cloud-aiplatform", "google--cloud__aiplatform"])
def test_names_are_normalised(name: str, tmp_path: Path) -> None:
    files = {"requirements.txt": f"{name}==2.7.0\n", "uv.lock": LOCK.format(name=name, version="2.7.0")}
    assert said(tmp_path, files, "google-cloud-aiplatform") == ("==2.7.0",)
    assert "google-cloud-aiplatform" in read([tmp_path], [name]).releases


# Several files


def test_an_exact_version_counts_more_than_ranges(tmp_path: Path) -> None:
    project = {"pyproject.toml": '[project]\ndependencies = ["mem0ai>=1"]'}
    assert said(tmp_path / "a", {**project, "uv.lock": LOCK.format(name="mem0ai", version="2.2.1")}) == ("==2.2.1",)
    assert said(tmp_path / "b", {**project, "requirements-dev.txt": "mem0ai==2.2.1\n"}) == ("==2.2.1",)


def test_the_forks_of_a_lock_are_alternatives(tmp_path: Path) -> None:
    both = LOCK.format(name="mem0ai", version="1.0.5") + LOCK.format(name="mem0ai", version="2.2.1")
    assert said(tmp_path, {"uv.lock": both}) == ("==1.0.5", "==2.2.1")


def test_what_holds_for_every_installation_holds_all_at_once(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": """\
            [project]
            dependencies = ["mem0ai>=1"]
            [project.optional-dependencies]
            new = ["mem0ai>=2"]
            """,
        "constraints.txt": "mem0ai<3\n",
        "requirements.txt": "mem0ai\n",
    }
    assert said(tmp_path, files) == ("<3,>=1",)


def test_extras_groups_and_markers_are_alternatives(tmp_path: Path) -> None:
    extras = '[project.optional-dependencies]\nold = ["mem0ai<2"]\nnew = ["mem0ai>=2"]'
    assert said(tmp_path / "a", {"pyproject.toml": extras}) == ("<2", ">=2")
    markers = "mem0ai<2; python_version < '3.10'\nmem0ai>=2; python_version >= '3.10'\n"
    assert said(tmp_path / "b", {"requirements.txt": markers}) == ("<2", ">=2")
    poetry = '[tool.poetry.dependencies]\nmem0ai = [{version = "<2", python = "<3.10"}, {version = "^2 || ^4"}]'
    assert said(tmp_path / "c", {"pyproject.toml": poetry}) == ("<2", ">=2,<3", ">=4,<5")


def test_folders_are_alternatives(tmp_path: Path) -> None:
    laid_out(tmp_path, {"api/requirements.txt": "mem0ai==2.2.1\n", "jobs/requirements.txt": "mem0ai<2\n"})
    found = read([tmp_path / "api", tmp_path / "jobs"], ["mem0ai"]).releases["mem0ai"]
    assert found.specifiers == ("<2", "==2.2.1")
    assert [Path(file).parts[-2:] for file in found.files] == [
        ("api", "requirements.txt"),
        ("jobs", "requirements.txt"),
    ]


def test_files_are_named_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(laid_out(tmp_path, {"app/uv.lock": LOCK.format(name="mem0ai", version="2")}))
    assert read([Path("app")], ["mem0ai"]).releases == {"mem0ai": Releases(("==2",), ("app/uv.lock",))}


# Requirements files that include others


def test_included_files_are_read_once_and_hold_as_far_as_the_includer(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-r deps/base.in\n--constraint=deps/limits.txt\n-r requirements.txt\n",
        "deps/base.in": "-r ../requirements.txt\nmem0ai>=1\n",
        "deps/limits.txt": "mem0ai<2  # soon\n-rbase.in\n",
        "requirements-dev.txt": "-r deps/base.in\nmem0ai<1.5\n",
    }
    assert said(tmp_path, files) == ("<2,>=1",)


def test_what_lies_outside_of_the_project_is_not_read(tmp_path: Path) -> None:
    laid_out(tmp_path, {"secret.txt": "mem0ai==2.2.1\n", "app/requirements.txt": "-r ../secret.txt\n-r /etc/passwd\n"})
    assert read([tmp_path / "app"], ["mem0ai"]).releases == {}
    assert "mem0ai" in read([tmp_path, tmp_path / "app"], ["mem0ai"]).releases


# What cannot be read


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("pyproject.toml", '[project\ndependencies = ["mem0ai"]', 1, "cannot be parsed: "),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "latest!"', 1, "`==latest!` of mem0ai is no version"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmem0ai = "^latest"', 1, "`^latest` of mem0ai is no version"),
        ("pyproject.toml", "[tool.poetry.dependencies]\nmem0ai = 2", 1, "the version of mem0ai is no string"),
        ("pyproject.toml", f"mem0ai = {'[' * 9999}", 1, "is nested too deeply"),
        (
            "uv.lock",
            LOCK.format(name="mem0ai", version="2") + "<<<<<<< HEAD\n",
            5,
            "what is locked of mem0ai is no TOML",
        ),
        ("uv.lock", LOCK.format(name="mem0ai", version="two"), 5, "`==two` of mem0ai is no version specifier"),
        ("Pipfile.lock", '{"mem0ai": ', 1, "cannot be parsed: "),
        ("setup.cfg", "mem0ai\n", 1, "cannot be parsed: "),
        ("setup.py", 'setup(install_requires=["mem0ai"]', 1, "cannot be parsed: "),
        ("setup.py", "mem0ai\0", 1, "cannot be parsed: "),
        ("requirements.txt", "click\nmem0ai=>1\n", 2, "`mem0ai=>1` is no requirement (PEP 508)"),
        ("requirements.txt", f"mem0ai; {'(' * 4000}", 1, "`mem0ai; (((("),
        ("requirements.txt", b"mem0ai==2.2.1 # caf\xe9\n", 1, "is no UTF-8; save it as UTF-8"),
        ("requirements.txt", "#" * (1 << 20) + "\n", 1, "is larger than 1 MiB, and was not read"),
        ("requirements.txt", "-r gone.txt\n", 1, "cannot be read (No such file or directory)"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, content: str | bytes, line: int, message: str, tmp_path: Path) -> None:
    (problem,) = read([laid_out(tmp_path, {name: content})], ["mem0ai"]).problems
    assert problem.message.startswith(message)
    assert problem.message.endswith("; which releases it asks for is not known")
    assert (problem.place.span.line, problem.opaque) == (line, True)


@pytest.mark.parametrize(
    ("name", "content"),
    [("pyproject.toml", "[project\n"), ("setup.py", "if"), ("requirements.txt", b"click # caf\xe9\n")],
)
def test_a_broken_file_that_names_nothing_asked_for_is_nobodys_business(
    name: str, content: str | bytes, tmp_path: Path
) -> None:
    assert not read([laid_out(tmp_path, {name: content})], ["mem0ai"]).problems


def test_one_broken_line_leaves_the_others(tmp_path: Path) -> None:
    found = read([laid_out(tmp_path, {"requirements.txt": "mem0ai=>1\nmem0ai<2\n"})], ["mem0ai"])
    assert found.releases["mem0ai"].specifiers == ("<2",)
    assert len(found.problems) == 1


def test_a_merge_conflict_elsewhere_in_a_lock_does_not_matter(tmp_path: Path) -> None:
    assert said(tmp_path, {"uv.lock": "<<<<<<< HEAD\n" + LOCK.format(name="mem0ai", version="2.2.1")}) == ("==2.2.1",)


def test_links_in_circles_pipes_and_folders_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").mkdir()
    os.mkfifo(tmp_path / "Pipfile")
    (tmp_path / "setup.cfg").symlink_to("setup.cfg")
    (tmp_path / "requirements").symlink_to(tmp_path, target_is_directory=True)
    found = read([tmp_path, tmp_path / "gone"], ["mem0ai"])
    assert not found.releases
    (problem,) = found.problems
    assert problem.message.startswith("cannot be read (")


FRAGMENTS = st.sampled_from(
    [
        *"[]{}()=\"'\\\n\r\0 ,;#^~*|<>!-:@",
        "mem0ai", "mem0ai==2.2.1", "version", "name", "[[package]]\n", "[project]\n", "[tool.poetry.dependencies]\n",
        "[options]\n", "install_requires", "dependencies", "-r requirements.txt\n", "-c ", "- pip:\n", "  - ", "setup(",
        "2.2.1", "python_version", "\n    ", "\u2028", "é", "99999999999999999999", "[packages]\n", '{"default": {',
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=40).map("".join))
FILES = sorted({name for name, _, _ in ONE_FILE})


@pytest.mark.parametrize("name", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_no_text_is_a_crash(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    found = read([tmp_path], ["mem0ai"])
    store = replace(STORE, checked=("mem0ai==2.2.1",))
    for releases in found.releases.values():
        assert set(applicable(store, releases).sinks) <= {
            OLD,
            NEW,
            BOTH,
            replace(NEW, refuses=()),
            replace(OLD, keys=()),
        }


# Which folders


def test_the_folders_of_a_project(tmp_path: Path) -> None:
    root = tmp_path / "repository" / "services" / "api"
    files = [
        File("a", root / "src" / "app" / "a.py"),
        File("b", root / "b.py"),
        File("c", tmp_path / "elsewhere" / "c.py"),
    ]
    below = [root, root / "src", root / "src" / "app"]
    assert project_folders(files, root) == tuple(below)
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    assert project_folders(files, root) == (tmp_path / "repository", tmp_path / "repository" / "services", *below)


# Stores

OLD = Sink("search", "read", MAPPING, versions="<2", keys=("user_id",))
NEW = Sink("search", "read", MAPPING, versions=">=2", refuses=("user_id",))
BOTH = Sink("add", "write", MAPPING, ignores=("app_id",))
LIMITS = Limits(keys=3)
STORE = Store("mem0", (OLD, NEW, BOTH), checked=("mem0ai==2.2.1", "mem0ai==1.0.5", "other==3"), limits=LIMITS)
WITHOUT_CONTRACTS = (replace(OLD, keys=()), replace(NEW, refuses=()), BOTH)


@pytest.mark.parametrize(
    ("specifiers", "expected"),
    [
        (("==2.2.1",), (NEW, BOTH)),
        (("==1.0.5",), (OLD, BOTH)),
        (("==2.0.0rc1",), (NEW, BOTH)),
        (("==3.1",), (NEW, BOTH)),
        ((">=2",), (NEW, BOTH)),
        (("<2", "==1.1"), (OLD, BOTH)),
        (("",), WITHOUT_CONTRACTS),
        ((">=1",), WITHOUT_CONTRACTS),
        (("==1.0.5", "==2.2.1"), WITHOUT_CONTRACTS),
        ((">=5",), WITHOUT_CONTRACTS),
        (("==2.2.1", ">=5"), WITHOUT_CONTRACTS),
        (("===nightly",), WITHOUT_CONTRACTS),
        (None, WITHOUT_CONTRACTS),
    ],
)
def test_the_sinks_of_the_possible_releases(specifiers: tuple[str, ...] | None, expected: tuple[Sink, ...]) -> None:
    releases = None if specifiers is None else Releases(specifiers, ("uv.lock",))
    assert applicable(STORE, releases) == replace(STORE, sinks=expected)


def test_contracts_hold_that_hold_for_every_possible_release() -> None:
    wide = replace(NEW, versions=">=1")
    assert applicable(replace(STORE, sinks=(wide,)), Releases(("",), ())).sinks == (wide,)
    assert applicable(replace(STORE, sinks=(wide,)), None).sinks == (replace(wide, refuses=()),)


def test_a_store_without_versions_is_left_alone() -> None:
    store = replace(STORE, sinks=(BOTH,), checked=())
    assert applicable(store, Releases(("==1",), ())) is store


def test_versions_of_a_store_that_was_read_in_none_are_not_known() -> None:
    store = replace(STORE, checked=())
    assert distribution(store) is None
    assert applicable(store, None).sinks == WITHOUT_CONTRACTS


CLAUSES = st.tuples(
    st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "~=", "===", "^", ""]),
    st.sampled_from(["1", "1.0", "1.0.5", "1.*", "1.0.*", "2rc1", "v1", "*", "1.", "1.0 "]),
).map("".join)


@given(versions=st.lists(CLAUSES, min_size=1, max_size=3).map(",".join), release=CLAUSES.map("mem0ai".__add__))
def test_what_settings_accept_can_be_compared(versions: str, release: str) -> None:
    sink = {"call": "a", "role": "read", "versions": versions}
    table = convert({"scope": "scope", "sinks": [sink], "checked": [release]}, StoreTable)
    with contextlib.suppress(Fault):  # it is not accepted
        assert len(applicable(build("bank", table), Releases(("==1",), ())).sinks) <= 1


def test_stores_are_fitted_to_a_project(tmp_path: Path) -> None:
    other = replace(STORE, name="other", checked=("zep-cloud==3",))
    laid_out(tmp_path, {"uv.lock": LOCK.format(name="mem0ai", version="2.2.1"), "src/app.py": ""})
    fitted = fit((STORE, other), [File("src/app.py", tmp_path / "src" / "app.py")], tmp_path)
    assert [store.sinks for store in fitted.stores] == [(NEW, BOTH), WITHOUT_CONTRACTS]
    assert set(fitted.dependencies.releases) == {"mem0ai"}


def test_nothing_is_read_where_versions_make_no_difference(tmp_path: Path) -> None:
    laid_out(tmp_path, {"requirements.txt": b"mem0ai \xff"})
    fitted = fit((replace(STORE, sinks=(BOTH,)),), [], tmp_path)
    assert not fitted.dependencies.problems


# Whole runs

ZEP = """\
from zep_cloud.client import Zep

zep = Zep()


def learn(user_id: str, text: str):
    zep.graph.add(user_id=user_id, data=text, type="text")
"""


@pytest.mark.parametrize(
    ("requirement", "sites", "problems"),
    [("zep-cloud==3.30.0", 1, []), ("zep-cloud==4.0.1", 0, []), ("zep-cloud", 1, []), ("zep-cloud=>4", 1, [2])],
)
def test_a_run_goes_by_the_release_that_the_project_depends_on(
    requirement: str, sites: int, problems: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(laid_out(tmp_path, {"app.py": ZEP, "requirements.txt": f"click\n{requirement}\n"}))
    report = check([Path()])
    assert len(report.sites) == sites
    assert [(each.place.path, each.place.span.line) for each in report.problems] == [
        ("requirements.txt", line) for line in problems
    ]
    assert not report.findings
