#!/usr/bin/env python3
"""A `threadbare` whose program is a list of numbers: a subtree is a range of them, and an execution one of them.

`work` explores at most 10 numbers of a unit and cuts the rest of a range in two. The environment says what else happens:
FAKE_SIZE, how many numbers there are; FAKE_REFUTED, the number that refutes an assumption once; FAKE_WRONG, the number that is
wrong; FAKE_ERROR, whether `work` fails.
"""

import json
import os
import sys
from typing import Any


def number(name: str) -> int:
    return int(os.environ.get(name, "-1"))


def write(file: str, value: object) -> None:
    with open(file, "w", encoding="utf-8") as writer:
        json.dump(value, writer)


def read(file: str) -> Any:
    with open(file, encoding="utf-8") as reader:
        return json.load(reader)


def whole() -> list[str]:
    return [f"0-{number('FAKE_SIZE')}"]


def state(left: list[str], explored: list[int], restarts: list[str], wrong: list[int]) -> Any:
    is_over = not left or bool(wrong)
    unit = {"format": 1, "version": "fake", "program": "program.tbc", "options": [], "left": left, "taken": []}
    unit.update(is_over=is_over, seed={"restarts": len(restarts)}, exploration={"explored": explored})
    verdict = "violated" if wrong else "verified" if is_over else "inconclusive"
    result = {"verdict": verdict, "executions": {"complete": len(explored)}, "restarts": restarts}
    return {**result, "violations": [{"replay": str(it)} for it in wrong], "unit": unit}


def verify(words: list[str]) -> int:
    directory = words[words.index("--units") + 1]
    with open(os.path.join(directory, "program.tbc"), "w", encoding="utf-8") as program:
        program.write(" ".join(words[: words.index("--units")]))
    write(os.path.join(directory, "state.json"), state(whole(), [], [], []))
    return 0


def work(words: list[str]) -> int:
    unit = read(words[0])["unit"]
    beside = os.path.join(os.path.dirname(words[0]), unit["program"])
    assert os.path.exists(words[words.index("--program") + 1] if "--program" in words else beside)
    if number("FAKE_ERROR") >= 0:
        print("error: the unit is damaged", file=sys.stderr)
        return 2
    explored: list[int] = []
    left: list[str] = []
    take = unit.get("take", unit["left"])
    for subtree in take:
        low, high = map(int, subtree.split("-"))
        end = min(high, low + 10 - len(explored))
        explored += range(low, end)
        middle = (end + high + 1) // 2
        left += [f"{a}-{b}" for a, b in ((end, middle), (middle, high)) if a < b]
    exploration = {**unit.get("seed", unit["exploration"]), "explored": explored}
    result = {"unit": {**unit, "taken": take, "left": left, "exploration": exploration}}
    if "--output" in words:
        write(words[words.index("--output") + 1], result)
    else:
        print(json.dumps(result))
    return 0


def merge(words: list[str]) -> int:
    files = words[: next((i for i, word in enumerate(words) if word.startswith("--")), len(words))]
    old = read(files[0])
    left, restarts = old["unit"]["left"], old["restarts"]
    explored = old["unit"]["exploration"]["explored"]
    wrong = [int(it["replay"]) for it in old["violations"]]
    for file in files[1:]:
        unit = read(file)["unit"]
        fits = unit["exploration"]["restarts"] == len(restarts) and set(unit["taken"]) <= set(left)
        if not fits:
            continue
        left = [subtree for subtree in left if subtree not in unit["taken"]] + unit["left"]
        explored += unit["exploration"]["explored"]
        if number("FAKE_REFUTED") in unit["exploration"]["explored"] and not restarts:
            left, explored, restarts = whole(), [], ["refuted"]
        wrong += [it for it in unit["exploration"]["explored"] if it == number("FAKE_WRONG")]
    left.sort(key=lambda subtree: int(subtree.split("-")[0]))
    assert len(explored) == len(set(explored)), "every number once"
    new = state(left, explored, restarts, wrong)
    if "--output" in words:
        write(words[words.index("--output") + 1], new)
    print(json.dumps({**new, "unit": None}))
    return 1 if wrong else 3 if left else 0


COMMANDS = {"verify": verify, "work": work, "merge": merge}
sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:]))
