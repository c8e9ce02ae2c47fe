"""CITATION.cff is what the Citation File Format 1.2.0 asks for and names the papers of docs/references.md; the workflows
can be read, and every command of ours in them exists."""

import re
import sys
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: no yaml (Debian: python3-yaml)")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
problems = []


def check(holds, text):
    if not holds:
        problems.append(text)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


# The keys of the format's schema that we use, and those that it requires.
TOP = {"cff-version", "message", "title", "abstract", "type", "authors", "version", "date-released", "license", "keywords",
       "references", "url", "repository-code"}
REFERENCE = {"type", "title", "authors", "journal", "volume", "issue", "year", "collection-title", "thesis-type", "institution",
             "doi", "pages"}
TYPES = {"article", "conference-paper", "thesis"}


def check_authors(where, authors):
    check(isinstance(authors, list) and authors, f"{where}: no authors")
    for author in authors or []:
        person, entity = {"given-names", "family-names"}, {"name"}
        check(set(author) in (person, entity), f"{where}: an author has {sorted(author)}")
        check(all(isinstance(value, str) and value for value in author.values()), f"{where}: a name is no text")


def check_citation():
    cff = yaml.safe_load(read("CITATION.cff"))
    check(cff["cff-version"] == "1.2.0", "cff-version is not 1.2.0")
    for key in ("message", "title", "authors"):
        check(key in cff, f"CITATION.cff has no {key}")
    check(set(cff) <= TOP, f"CITATION.cff has {sorted(set(cff) - TOP)}")
    check(cff["type"] == "software", "type is not software")
    check(isinstance(cff["version"], str), "version is no text")
    check(cff["license"] == read("LICENSE").split()[0], "the license is another one")
    check_authors("limber", cff["authors"])
    known = read("docs/references.md")
    check(len(cff["references"]) == 5, "there are not five papers")
    for paper in cff["references"]:
        where = paper.get("title", "a paper")
        check(set(paper) <= REFERENCE and {"type", "title", "authors", "year"} <= set(paper), f"{where}: keys {sorted(paper)}")
        check(paper["type"] in TYPES, f"{where}: type {paper['type']}")
        check(isinstance(paper["year"], int), f"{where}: the year is no number")
        check_authors(where, paper["authors"])
        names = ", ".join(f"{a['given-names']} {a['family-names']}" for a in paper["authors"])
        line = next((row for row in known.splitlines() if names + ":" in row and where in row and str(paper["year"]) in row), None)
        check(line, f"{where}: docs/references.md has no such title with these authors and this year")


def check_workflow(path):
    flow = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML reads the key `on` as true.
    check({"name", "jobs"} <= set(flow) and (True in flow or "on" in flow), f"{path.name}: keys {list(flow)}")
    commands = set(re.findall(r"^cmd_([a-z]+)\(\)", read("dev"), re.M))
    presets = set(re.findall(r'"name": "([a-z-]+)"', read("CMakePresets.json")))
    for name, job in flow["jobs"].items():
        where = f"{path.name}: {name}"
        check("runs-on" in job and job.get("steps"), f"{where}: no machine or no steps")
        for needed in [job.get("needs", [])] if isinstance(job.get("needs"), str) else job.get("needs", []):
            check(needed in flow["jobs"], f"{where}: needs {needed}, which is no job")
        for step in job["steps"]:
            check(("run" in step) != ("uses" in step), f"{where}: a step without run or uses: {step}")
            text = step.get("run", "")
            for command in re.findall(r"\./dev ([a-z]+)", text):
                check(command in commands, f"{where}: ./dev has no {command}")
            for preset in re.findall(r"--preset ([a-z-]+)", text):
                check(preset in presets, f"{where}: no preset {preset}")
            for script in re.findall(r"(?:python3|bash) ([\w/]+\.(?:py|sh))|(release/\w+\.sh)", text):
                file = "".join(script)
                check((ROOT / file).is_file(), f"{where}: no {file}")


def check_policy():
    for name in ("CODE_OF_CONDUCT.md", "ROADMAP.md", "docs/releases.md", "docs/good_first_tasks.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(name)):
            check((ROOT / name).parent.joinpath(target).exists(), f"{name}: {target} is not there")
    tasks = read("docs/good_first_tasks.md")
    for file in re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.\w+)`", tasks):
        check((ROOT / file).exists(), f"docs/good_first_tasks.md: {file} is not there")
    check(len(re.findall(r"^\d+\. ", tasks, re.M)) >= 5, "docs/good_first_tasks.md has few tasks left")


check_citation()
workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
for workflow in workflows:
    check_workflow(workflow)
check_policy()
for problem in problems:
    print(problem)
if problems:
    sys.exit(1)
print(f"CITATION.cff, {len(workflows)} workflows, and the pages on releases")
