"""What the README shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

from scope_lint import sdks
from scope_lint.config import load_settings
from scope_lint.rules import RULES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The contents of the code blocks in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_there_are_two_set_up_commands_of_one_line_each() -> None:
    run, test = blocks("sh")
    assert run.count("\n") == test.count("\n") == 1
    assert run.endswith("/scope-lint --exit-zero fixtures/quickstart\n")
    assert "/pytest" in test


def test_the_demo_prints_what_the_readme_shows() -> None:
    arguments = blocks("sh")[0].split("/scope-lint ")[1].split()
    done = subprocess.run(
        [sys.executable, "-m", "scope_lint", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout + done.stderr == blocks("text")[0]


def test_the_table_of_rules_is_the_registry() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (\S+) \| (.*?) \| (.*) \|$", README, re.MULTILINE)
    expected = [(rule.name, rule.severity or "off", rule.effect or "-", rule.summary) for rule in RULES]
    assert rows == expected


def test_the_settings_that_the_readme_shows_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(blocks("toml")[0], encoding="utf-8")
    settings = load_settings(file, tmp_path, [rule.name for rule in RULES])
    assert "memory" in {store.name for store in settings.stores}


def test_the_hook_that_the_readme_shows_exists() -> None:
    hook = re.search(r"- id: (\S+)", blocks("yaml")[0])
    assert hook is not None
    assert f"- id: {hook[1]}\n" in (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


def test_the_sdks_that_the_readme_lists_are_those_that_ship() -> None:
    section = README.partition("\n## SDKs\n")[2].partition("\n## ")[0]
    listed = re.findall(r"`([a-z0-9-]+)`", "".join(section.partition("\n- ")[1:]))
    assert sorted(listed) == sorted(store.name for store in sdks.presets() if store.name != "generic")
