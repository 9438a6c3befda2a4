"""Harm by agents: questions that are never answered, answered wrongly, twice, or by a user that may not."""

from __future__ import annotations

import itertools
import time

from fairness import Client, line, request
from hostile_calls import calls
from hostile_json import PARAMS
from hostile_user import HOSTILE, Hostile, case, same

FORBIDDEN, UNKNOWN, CLOSED = -32007, 1401, 1402
BUYS = {"roles": {"users": {str(HOSTILE): ["observe", "buy"]}}}
LOOKS = {"roles": {"users": {str(HOSTILE): ["observe"]}}}
NOTHING = {"roles": {"users": {str(HOSTILE): []}}}


def questions(user: Hostile, client: Client) -> list[dict]:
    """The open questions."""
    return user.ask(client, "questions").get("result", {}).get("questions", [])


# Users that may not

@case("roles", "an agent for payments without the role", FORBIDDEN, config=BUYS)
def no_payment_agent(user: Hostile) -> None:
    user.flood(same(calls("subscribe", agent=["payment"])))


@case("roles", "an agent for logins without the role", FORBIDDEN, config=BUYS)
def no_login_agent(user: Hostile) -> None:
    user.flood(same(calls("subscribe", agent=["login"])))


@case("roles", "answers without the role", FORBIDDEN, config=BUYS)
def no_answers(user: Hostile) -> None:
    user.flood(same(calls("answer", question="0" * 36, value=False)))


@case("roles", "the policy of the gate without the role", FORBIDDEN, config=BUYS)
def no_policy(user: Hostile) -> None:
    user.flood(same(calls("delegate", mode="stop")))


@case("roles", "purchases without the role", FORBIDDEN, config=LOOKS)
def no_purchases(user: Hostile) -> None:
    user.flood(same(calls("add", product="coins.100")))


@case("roles", "finishes without the role", FORBIDDEN, config=LOOKS)
def no_finishes(user: Hostile) -> None:
    user.flood(same(calls("finish", transaction="0" * 36)))


@case("roles", "logouts without the role", FORBIDDEN, config=LOOKS)
def no_logouts(user: Hostile) -> None:
    user.flood(same(calls("logout") + calls("login", account="alice")))


@case("roles", "restores without the role", FORBIDDEN, config=LOOKS)
def no_restores(user: Hostile) -> None:
    user.flood(same(calls("restore")))


@case("roles", "an assumed country without the role", FORBIDDEN, config=LOOKS)
def no_country(user: Hostile) -> None:
    user.flood(same(calls("storefront", assume="FR")))


@case("roles", "subscriptions of a user without any role", FORBIDDEN, config=NOTHING)
def nothing_to_see(user: Hostile) -> None:
    user.flood(same(calls("subscribe") + calls("status") + calls("events", after=0)))


@case("roles", "batches of 100 calls that are denied", FORBIDDEN, config=NOTHING)
def denied_batches(user: Hostile) -> None:
    user.flood(same(line([request(n, "add", product="coins.100") for n in range(100)])))


# Users that may: purchases can stand still, and calls may not.

def agents(user: Hostile, count: int = 1, kinds: tuple[str, ...] = ("payment",)) -> list[Client]:
    """Connections that are asked before a charge."""
    clients = [user.client() for _ in range(count)]
    for client in clients:
        user.ask(client, "subscribe", after="now", agent=list(kinds))
    return clients


@case("agents", "an agent for payments that never answers", stops=True, lasts=True)
def silent_agent(user: Hostile) -> None:
    client = agents(user)[0]
    while user.goes_on:
        client.event()


@case("agents", "sixty agents for payments that never answer", stops=True, lasts=True)
def silent_agents(user: Hostile) -> None:
    agents(user, 60)
    while user.goes_on:
        time.sleep(0.05)


@case("agents", "an agent that refuses every payment", stops=True, lasts=True)
def refusing_agent(user: Hostile) -> None:
    agents(user)
    client = user.client()
    while user.goes_on:
        for question in questions(user, client):
            user.ask(client, "answer", question=question["question"], value=False, reason="r" * 256)


@case("agents", "an agent that answers twice, differently", CLOSED, stops=True, lasts=True)
def undecided_agent(user: Hostile) -> None:
    agents(user)
    client = user.client()
    while user.goes_on:
        for question in questions(user, client):
            for value in (True, False, True):
                user.ask(client, "answer", question=question["question"], value=value)


@case("agents", "an agent that answers nonsense", PARAMS, stops=True, lasts=True)
def nonsense_agent(user: Hostile) -> None:
    agents(user)
    client = user.client()
    while user.goes_on:
        for question in questions(user, client):
            for value in ("yes", None, 1, {}, [True]):
                user.ask(client, "answer", question=question["question"], value=value)
        time.sleep(0.002)


@case("agents", "agents that leave in the middle of a question", stops=True, lasts=True)
def fleeting_agents(user: Hostile) -> None:
    def once(_: int) -> None:
        client = agents(user)[0]
        client.event()
        client.close()

    user.each(8, once)


@case("agents", "agents that come and go all the time", stops=True, lasts=True)
def restless_agents(user: Hostile) -> None:
    user.churn(16, agent=["payment"], after="now")


@case("agents", "agents whose questions nobody reads", stops=True, lasts=True)
def deaf_agents(user: Hostile) -> None:
    user.subscribe(40, receives=2048, agent=["payment"])
    user.flood(same(calls("add", product="coins.100")), connections=4)


@case("agents", "an agent for logins, and calls that ask for one", stops=True, lasts=True)
def login_agent(user: Hostile) -> None:
    agents(user, 4, ("login",))
    user.flood(same(line(request(1, "login"))), connections=8)


@case("agents", "guesses at the names of questions", UNKNOWN, lasts=True)
def guessed_questions(user: Hostile) -> None:
    user.flood(lambda index: (line([request(n, "answer", question=f"{number:08}-0000-4000-8000-{n:012}", value=True)
                                    for n in range(100)]) for number in itertools.count(index)))
