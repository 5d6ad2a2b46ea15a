"""Tokens: who may predict, reveal and administer."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from pathlib import Path

from novikoff.serve.messages import Problem, Refusal

ROLES = ("predict", "reveal", "admin")


class Tokens:
    """The tokens of a file, one on each line: a role and a token of at least 16 characters.

    An admin may do everything, and any token reads summaries and metrics. Without a file, everybody
    may do everything. Tokens are compared in constant time.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._tokens: list[tuple[str, bytes]] | None = None
        if file is None:
            return
        self._tokens = []
        for number, line in enumerate(file.read_text().splitlines(), 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2 or words[0] not in ROLES or len(words[1]) < 16:
                raise ValueError(
                    f"{file}:{number}: write a role ({', '.join(ROLES)}) and a token of at least "
                    "16 characters"
                )
            self._tokens.append((words[0], words[1].encode()))
        if not self._tokens:
            raise ValueError(f"{file}: there is no token")

    def check(self, header: bytes, roles: Sequence[str]) -> None:
        """Refuse a request whose Authorization header has an unknown token, or one for others."""
        if self._tokens is None:
            return
        scheme, _, given = header.partition(b" ")
        found = set[str]()
        for role, token in self._tokens:  # all of them, whichever matches
            if hmac.compare_digest(token, given) and scheme.lower() == b"bearer":
                found.add(role)
        if not found:
            problem = Problem("unknown token", 401, "send Authorization: Bearer TOKEN")
            raise Refusal(problem, {b"www-authenticate": b"Bearer"})
        if not found & {*roles, "admin"}:
            words = f"this needs a token for {' or '.join(roles)}"
            raise Refusal(Problem("not allowed", 403, words))
