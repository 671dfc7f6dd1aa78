"""The hook under the real pre-commit, in real git repositories.

pre-commit builds the hook's environment with pip, which takes a while and the package index; one module-wide home of
pre-commit sees to it that this happens once for all the commits.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
PRE_COMMIT = [sys.executable, "-m", "pre_commit"]

pytestmark = pytest.mark.xdist_group("pre-commit")

AGREED = """\
def note(memory, app_id, user_id, text):
    memory.ingest(text, scope={"app_id": app_id, "user_id": str(user_id)})


def recall(memory, app_id, user_id, query):
    return memory.retrieve(query, scope={"app_id": app_id, "user_id": str(user_id)})
"""
DEVIANT = """\
def profile(memory, app_id, user_id):
    return memory.retrieve_profile(scope={"app_id": app_id, "user_id": user_id})
"""
MENDED = DEVIANT.replace('"user_id": user_id', '"user_id": str(user_id)')
SETTINGS = """\
[tool.scope-lint.stores.archive]
scope = "scope"
sinks = [{ call = "archive", role = "write" }]
"""
CONFIGURATION = """\
repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: scope-lint
"""
ARCHIVE = """\
def file_away(bank, app_id, user_id, text):
    bank.archive(text, scope={"app_id": app_id, "user_id": str(user_id)})
"""


class Repository:
    """A git repository in a folder of its own."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        # Whatever git tells the process that runs the tests (a hook's own index, say) is not meant for this repository.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
        self.environment = inherited | {
            "GIT_AUTHOR_NAME": "A. Committer",
            "GIT_AUTHOR_EMAIL": "committer@example.org",
            "GIT_COMMITTER_NAME": "A. Committer",
            "GIT_COMMITTER_EMAIL": "committer@example.org",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "commit.gpgsign",
            "GIT_CONFIG_VALUE_0": "false",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
            "PRE_COMMIT_HOME": str(home),
            "PRE_COMMIT_COLOR": "never",
        }
        folder.mkdir(exist_ok=True)
        self.git("init", "--quiet")

    def run(self, *command: str) -> tuple[int, str]:
        """Exit status and output of a command in this repository."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def git(self, *arguments: str) -> str:
        """The output of a git command that has to succeed."""
        status, output = self.run("git", *arguments)
        assert status == 0, output
        return output.strip()

    def commit(self, **files: str | None) -> tuple[int, str]:
        """Write `name=text` to `name.py`, delete `name=None`, and try to commit: exit status and output."""
        for name, text in files.items():
            file = self.folder / f"{name}.py"
            if text is None:
                file.unlink()
            else:
                file.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        return self.run("git", "commit", "--message", "Change the files")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pre-commit-home")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Repository:
    """This checkout as it stands, edits included, committed to a repository that pre-commit can install from."""
    folder = tmp_path_factory.mktemp("hooks")
    repository = Repository(folder, home)
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, names.stdout.split("\0")):
        if (CHECKOUT / name).is_file():  # not so if it is deleted and the deletion not yet committed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(CHECKOUT / name, folder / name)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "The checkout as it stands")
    return repository


@pytest.fixture
def project(tmp_path: Path, home: Path, hooks: Repository) -> Repository:
    """A project that agrees with itself, with the hook installed."""
    repository = Repository(tmp_path / "project", home)
    (repository.folder / ".pre-commit-config.yaml").write_text(
        CONFIGURATION.format(repository=hooks.folder, revision=hooks.git("rev-parse", "HEAD")), encoding="utf-8"
    )
    status, output = repository.run(*PRE_COMMIT, "install")
    assert status == 0, output
    status, output = repository.commit(memories=AGREED, other="ANSWER = 42\n")
    assert status == 0, output
    return repository


def hook_line(output: str) -> str:
    """How pre-commit sums the hook up: its name, dots, and Passed, Failed or Skipped."""
    return next((line for line in output.splitlines() if line.startswith("scope-lint....")), output)


def test_the_checkout_can_be_tried(tmp_path: Path, home: Path) -> None:
    repository = Repository(tmp_path / "tried", home)
    status, output = repository.commit(memories=AGREED, profile=DEVIANT)
    assert status == 0, output
    status, output = repository.run(*PRE_COMMIT, "try-repo", str(CHECKOUT), "scope-lint")
    assert hook_line(output).endswith("Failed"), output
    assert status == 1
    assert "profile.py:2:" in output
    assert "[shape-drift]" in output


def test_a_finding_blocks_the_commit_and_a_mend_lets_it_pass(project: Repository) -> None:
    before = project.git("rev-parse", "HEAD")
    status, output = project.commit(profile=DEVIANT)
    assert status == 1
    assert hook_line(output).endswith("Failed"), output
    assert "profile.py:2:" in output
    assert "[shape-drift]" in output
    assert project.git("rev-parse", "HEAD") == before

    status, output = project.commit(profile=MENDED)
    assert status == 0
    assert hook_line(output).endswith("Passed"), output
    assert project.git("rev-parse", "HEAD") != before


def test_a_commit_that_only_deletes_a_file_runs_the_hook(project: Repository) -> None:
    status, output = project.commit(other=None)
    assert status == 0
    assert hook_line(output).endswith("Passed"), output


def test_a_deletion_that_makes_a_finding_is_blocked(project: Repository) -> None:
    (project.folder / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    status, output = project.commit(archive=ARCHIVE)
    assert status == 0, output

    status, output = project.commit(archive=None)
    assert status == 1
    assert hook_line(output).endswith("Failed"), output
    assert "[unmatched-store]" in output


def test_a_commit_that_only_changes_settings_runs_the_hook(project: Repository) -> None:
    (project.folder / "pyproject.toml").write_text(SETTINGS.replace("sinks", "sink"), encoding="utf-8")
    status, output = project.commit()
    assert status == 1
    assert hook_line(output).endswith("Failed"), output
    assert "pyproject.toml" in output
    assert "sinks" in output


def test_a_finding_in_a_notebook_blocks_the_commit(project: Repository) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": DEVIANT}]
    (project.folder / "tour.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
    status, output = project.commit()
    assert status == 1
    assert hook_line(output).endswith("Failed"), output
    assert "tour.ipynb:cell 1:2:" in output


def test_files_outside_git_are_not_looked_at(project: Repository) -> None:
    (project.folder / "scratch.py").write_text(DEVIANT, encoding="utf-8")
    (project.folder / "other.py").write_text("ANSWER = 43\n", encoding="utf-8")
    project.git("add", "other.py")
    status, output = project.run("git", "commit", "--message", "Leave the scratch file out")
    assert status == 0, output
    assert hook_line(output).endswith("Passed"), output


def test_the_hook_runs_once_for_a_commit_however_many_hooks_are_installed(project: Repository) -> None:
    types = [argument for kind in ("pre-commit", "commit-msg", "post-commit") for argument in ("--hook-type", kind)]
    status, output = project.run(*PRE_COMMIT, "install", *types)
    assert status == 0, output
    status, output = project.commit(other="ANSWER = 44\n")
    assert status == 0, output
    assert output.count("scope-lint....") == 1, output
