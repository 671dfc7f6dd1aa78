import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scope_lint.discover import DiscoverError, discover
from scope_lint.model import Problem
from scope_lint.source import read


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, in no git work tree and with no git settings but the test's own."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return folder


def write(*names: str, text: str = "") -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(*arguments: str, folder: str = ".") -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


def found(*paths: str, exclude: tuple[str, ...] = (), root: Path | None = None, tracked: bool = False) -> list[str]:
    names = [Path(path) for path in paths or (".",)]
    files = discover(names, root=root or Path.cwd(), exclude=exclude, tracked=tracked)
    assert all(file.location.is_absolute() for file in files)
    return [file.name for file in files]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Permissions do not bind root: be nobody meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


# ---------------------------------------------------------------------------------------------------------------------
# Paths and names


def test_files_are_sorted_and_named_from_the_working_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("b.py", "a/z.py", "a/b/c.py", "notes.txt", "a.pyc", "a-b.py")
    assert found() == ["a-b.py", "a/b/c.py", "a/z.py", "b.py"]
    assert found("a") == found("./a/") == found(str(project / "a")) == ["a/b/c.py", "a/z.py"]
    monkeypatch.chdir("a/b")
    assert found("../..", root=project) == ["../../a-b.py", "../../b.py", "../z.py", "c.py"]
    assert discover([Path("c.py")], root=project)[0].location == project / "a" / "b" / "c.py"


def test_each_file_once_however_paths_overlap() -> None:
    write("a/b.py", "a/c.py")
    assert found("a", "a/b.py", ".", "a/../a/b.py") == ["a/b.py", "a/c.py"]


def test_a_named_file_needs_no_suffix() -> None:
    write("script", "a.txt")
    assert found("script", "a.txt") == ["a.txt", "script"]


@pytest.mark.parametrize("path", ["nowhere", "a.py/b.py", "a/nowhere.py", 300 * "x"])
def test_a_path_that_does_not_exist_is_named(path: str) -> None:
    write("a.py")
    with pytest.raises(DiscoverError) as error:
        found("a.py", path)
    assert str(error.value).startswith(f"{path}: ")


def test_nothing_there_is_no_error() -> None:
    write("a.txt")
    assert found() == []


def test_a_name_that_is_no_text_can_be_shown() -> None:
    Path(os.fsdecode(b"caf\xe9.py")).touch()
    Path("café.py").touch()
    assert found() == ["caf\\xe9.py", "café.py"]


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("a.py", False),
        ("test_a.py", True),
        ("a_test.py", True),
        ("conftest.py", True),
        ("tests/a.py", True),
        ("a/test/b/c.py", True),
        ("testing/a.py", False),
        ("latest.py", False),
        ("contest.py", False),
        ("a/tests.py", False),
    ],
)
def test_what_is_test_code(name: str, *, test: bool) -> None:
    write(name)
    for path in (".", name):
        (file,) = discover([Path(path)], root=Path.cwd())
        assert file.test is test


def test_a_project_in_a_folder_called_tests_is_no_test_code(monkeypatch: pytest.MonkeyPatch) -> None:
    write("tests/project/a.py", "tests/project/tests/a.py")
    monkeypatch.chdir("tests/project")
    assert [(file.name, file.test) for file in discover([Path()], root=Path.cwd())] == [
        ("a.py", False),
        ("tests/a.py", True),
    ]
    elsewhere = discover([Path()], root=Path("/nowhere"))
    assert [(file.name, file.test) for file in elsewhere] == [("a.py", False), ("tests/a.py", True)]


# ---------------------------------------------------------------------------------------------------------------------
# exclude


@pytest.mark.parametrize("with_git", [False, True])
@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        (("gen",), ["a.py", "b/a.py", "b/x_pb2.py"]),
        (("*_pb2.py",), ["a.py", "b/a.py", "gen/c.py"]),
        (("/a.py",), ["b/a.py", "b/x_pb2.py", "gen/c.py"]),
        (("a.py", "!b/a.py"), ["b/a.py", "b/x_pb2.py", "gen/c.py"]),
        (("# nothing", ""), ["a.py", "b/a.py", "b/x_pb2.py", "gen/c.py"]),
        (("*",), []),
    ],
)
def test_exclude_are_gitignore_patterns_from_the_root(
    exclude: tuple[str, ...], left: list[str], *, with_git: bool
) -> None:
    write("a.py", "b/a.py", "b/x_pb2.py", "gen/c.py")
    if with_git:
        git("init")
    assert found(exclude=exclude) == left
    assert found("a.py", "b", "gen/c.py", exclude=exclude) == left


def test_exclude_is_relative_to_the_root_not_to_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a/b/c.py", "a/d.py")
    (project.parent / "link").symlink_to(project)
    monkeypatch.chdir("a")
    assert found(root=project, exclude=("/a/b",)) == ["d.py"]
    assert found(root=project.parent / "link", exclude=("/a/b",)) == ["d.py"]
    assert found("../a", root=project / "a", exclude=("/b",)) == ["d.py"]
    assert found(root=project / "a" / "b", exclude=("d.py", "c.py")) == ["d.py"]


def test_a_pattern_that_is_none_is_named() -> None:
    with pytest.raises(DiscoverError, match=r"exclude: '!' is no gitignore pattern"):
        found(exclude=("a.py", "!"))
    with pytest.raises(DiscoverError, match=r"exclude: '\[z-a\]'"):
        found(exclude=("[z-a]",))


# ---------------------------------------------------------------------------------------------------------------------
# The walk


def test_what_no_user_wrote_is_left_out() -> None:
    write("a.py", ".hidden.py", ".tox/a.py", "node_modules/a.py", "a/__pycache__/a.py", "build/lib/a.py", "dist/a.py")
    write("env/pyvenv.cfg", "env/lib/a.py")
    write("src/build/__init__.py", "src/build/a.py")
    assert found() == [".hidden.py", "a.py", "src/build/__init__.py", "src/build/a.py"]


def test_a_named_folder_is_always_entered() -> None:
    write("env/pyvenv.cfg", "env/lib/site-packages/a.py", ".hidden/a.py", "build/a.py", "ignored/sub/a.py")
    write(".gitignore", text="ignored/\n")
    for name in ("env", ".hidden", "build", "ignored", "ignored/sub"):
        assert len(found(name)) == 1
    assert found() == []


def test_gitignore_files_are_respected_where_git_is_not(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    write(".gitignore", text="\ufeff*.gen.py\n/top.py\n!\nskipped/\n# a comment\n")
    write("a/.gitignore", text="!kept.gen.py\nb.py\r\n")
    write("top.py", "x.gen.py", "a/top.py", "a/x.gen.py", "a/kept.gen.py", "a/b.py", "a/c/b.py", "b.py", "skipped/a.py")
    assert found() == ["a/kept.gen.py", "a/top.py", "b.py"]
    assert found("a") == ["a/kept.gen.py", "a/top.py"]
    assert found("a/b.py", "top.py", "skipped") == ["a/b.py", "skipped/a.py", "top.py"]
    monkeypatch.chdir("a")
    assert found(root=project) == ["kept.gen.py", "top.py"]


def test_a_gitignore_that_cannot_be_read_ignores_nothing() -> None:
    write("a.py", "b/a.py")
    os.mkfifo(".gitignore")
    Path("b/.gitignore").mkdir()
    assert found() == ["a.py", "b/a.py"]


def test_a_folder_that_may_not_be_listed_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "locked/b.py")
    for folder in project.parents:
        if folder.stat().st_uid == os.geteuid() and folder.is_relative_to(tempfile.gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o055)
    Path("locked").chmod(0o111)
    try:
        with unprivileged():
            files = discover([Path(), Path("locked")], root=project)
            problems = [read(file) for file in files]
            monkeypatch.chdir("locked")
            assert found("..", ".", root=project) == ["../a.py", "./"]
    finally:
        (project / "locked").chmod(0o755)
    assert [file.name for file in files] == ["a.py", "locked/"]
    assert isinstance(problems[1], Problem)
    assert "may not be listed" in problems[1].message


# ---------------------------------------------------------------------------------------------------------------------
# Notebooks


@pytest.mark.parametrize("with_git", [False, True])
def test_notebooks_are_found_and_what_jupyter_keeps_of_them_is_not(*, with_git: bool) -> None:
    write("a.ipynb", "a/b.ipynb", "c.ipynb.txt", ".ipynb_checkpoints/a-checkpoint.ipynb", "a/.ipynb_checkpoints/b.py")
    if with_git:
        git("init")
        git("add", ".")
    assert found() == ["a.ipynb", "a/b.ipynb"]
    assert found("a/.ipynb_checkpoints", "c.ipynb.txt") == ["a/.ipynb_checkpoints/b.py", "c.ipynb.txt"]
    assert found(exclude=("a/*.ipynb",)) == ["a.ipynb"]


def test_a_notebook_is_test_code_by_its_folder_alone() -> None:
    write("tests/a.ipynb", "test_a.ipynb")
    files = discover([Path()], root=Path.cwd())
    assert [(file.name, file.test) for file in files] == [("test_a.ipynb", False), ("tests/a.ipynb", True)]


# ---------------------------------------------------------------------------------------------------------------------
# Links


@pytest.mark.parametrize("with_git", [False, True])
def test_links(*, with_git: bool) -> None:
    write("b.py", "folder/c.py")
    Path("a.py").symlink_to("b.py")
    Path("d.py").symlink_to("folder/c.py")
    Path("dangling.py").symlink_to("gone")
    Path("also_dangling.py").symlink_to("gone")
    Path("circular.py").symlink_to("circular.py")
    Path("linked").symlink_to("folder")
    Path("looks_like.py").symlink_to("folder")
    Path("folder/up").symlink_to("..")
    if with_git:
        git("init")
    assert found() == ["a.py", "also_dangling.py", "circular.py", "d.py", "dangling.py"]
    assert found("linked") == ["linked/c.py"]
    assert found("folder", "linked") == ["folder/c.py"]
    assert found("b.py") == ["b.py"]
    assert found("dangling.py", "circular.py") == ["circular.py", "dangling.py"]
    for file in discover([Path("dangling.py"), Path("circular.py")], root=Path.cwd()):
        assert isinstance(read(file), Problem)


# ---------------------------------------------------------------------------------------------------------------------
# git


def test_in_a_work_tree_git_answers() -> None:
    write("tracked.py", "untracked.py", "ignored.py", "deleted.py", "a/b.py", ".hidden/a.py", "build/a.py", "forced.py")
    write("a/.gitignore", text="c.py")
    write("a/c.py", "replaced.py")
    git("init")
    write(".git/info/exclude", text="ignored.py\nforced.py\n")
    git("add", "tracked.py", "deleted.py", "replaced.py")
    git("add", "-f", "forced.py")
    Path("deleted.py").unlink()
    Path("replaced.py").unlink()
    Path("replaced.py").mkdir()
    assert found() == [".hidden/a.py", "a/b.py", "build/a.py", "forced.py", "tracked.py", "untracked.py"]
    assert found(tracked=True) == ["forced.py", "tracked.py"]
    assert found("a", "ignored.py") == ["a/b.py", "ignored.py"]
    assert found("a", tracked=True) == []


def test_a_file_in_conflict_is_one_file() -> None:
    git("init", "-b", "main")
    for branch in ("main", "other"):
        if branch == "other":
            git("checkout", "--orphan", branch)
        write("a.py", text=branch)
        git("add", "a.py")
        git("commit", "-m", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "--allow-unrelated-histories", "main")
    assert found() == ["a.py"]


def test_a_named_folder_that_git_ignores_is_walked() -> None:
    write(".gitignore", text="env/\nout/\n")
    write("env/lib/site-packages/a.py", "out/b.py", "c.py")
    git("init")
    assert found("env/lib", "out") == ["env/lib/site-packages/a.py", "out/b.py"]
    assert found("out", tracked=True) == []
    assert found(".git") == []


def test_virtual_environments_are_left_out_of_gits_answer_too() -> None:
    write("a.py", "env/pyvenv.cfg", "env/lib/a.py", "environment.py")
    git("init")
    assert found() == ["a.py", "environment.py"]
    assert found("env") == ["env/lib/a.py"]


def test_submodules_are_passed_over(project: Path) -> None:
    write("other/in_other.py", "a.py")
    git("init", folder="other")
    git("add", "in_other.py", folder="other")
    git("commit", "-m", "a", folder="other")
    (project / "other").rename(project.parent / "other")
    git("init")
    git("submodule", "add", str(project.parent / "other"), "sub.py")
    assert found() == ["a.py"]
    assert found("sub.py") == ["sub.py/in_other.py"]


def test_the_index_of_a_hook_counts_in_its_own_work_tree(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a/one.py", "a/two.py", "../other/three.py")
    git("init")
    git("add", "a/one.py")
    Path(".git/index").rename(".git/hook-index")
    git("add", "a/two.py")
    git("init", folder="../other")
    git("add", "three.py", folder="../other")
    assert found(tracked=True) == ["a/two.py"]
    for index in (".git/hook-index", str(project / ".git/hook-index")):
        monkeypatch.setenv("GIT_INDEX_FILE", index)
        assert found(tracked=True) == found("a", tracked=True) == ["a/one.py"]
        assert found("../other", tracked=True) == ["../other/three.py"]
    monkeypatch.setenv("GIT_DIR", str(project / ".git"))
    assert found("a", tracked=True) == ["a/one.py"]
    assert found("../other", tracked=True) == ["../other/three.py"]


def test_without_git_the_work_tree_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "b.py", ".hidden/a.py")
    write(".gitignore", text="b.py")
    git("init")
    monkeypatch.setenv("PATH", "")
    assert found() == ["a.py"]


def test_a_work_tree_that_git_refuses_is_walked() -> None:
    write("a.py", ".hidden/a.py")
    git("init")
    write(".git/config", text="[core]\nrepositoryformatversion = 99\n")
    assert found() == ["a.py"]


def test_settings_of_the_code_that_is_read_run_nothing(project: Path) -> None:
    write("a.py")
    git("init")
    hook = project.parent / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {project.parent}/has-run\n")
    hook.chmod(0o755)
    git("config", "core.fsmonitor", str(hook))
    assert found() == ["a.py"]
    assert not (project.parent / "has-run").exists()
