"""The clients against a daemon that breaks off, refuses and repeats."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import unittest
from typing import Any, List, Optional, Union
from unittest.mock import patch

from payqueued import (
    AsyncClient, CallTimedOut, Client, ClientClosed, ConnectionLost, CursorFile, KeyFile, KeyReuse,
    NotConnected, Notification, ServerError, StopObserving, Subscription, Transaction,
)
from payqueued.contract import PingResult
from payqueued.discovery import socket_path
from payqueued.wire import Reply, Wire

from .server import (
    Connection, JSONObject, Server, cancelled, eventually, first_two, opened, params, transaction,
)


class CallTests(unittest.IsolatedAsyncioTestCase):
    async def test_a_lost_answer_is_asked_for_again_with_the_same_key(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if len(server.asked) == 1:
                connection.hang_up()
            else:
                connection.reply(request, {"transaction": "t", "state": "purchasing"})

        async with Server(serve) as server:
            async with AsyncClient(server.path) as queue:
                self.assertEqual((await queue.add("coins.100"))["transaction"], "t")
            first, second = first_two(server.asked, "add")
            self.assertTrue(first["key"])
            self.assertEqual(first, second)

    async def test_what_may_not_be_repeated_is_not(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.hang_up()

        async with Server(serve) as server:
            async with AsyncClient(server.path) as queue:
                with self.assertRaises(ConnectionLost):
                    await queue.decide("t", "approve")
            self.assertEqual(server.methods(), ["decide"])

    async def test_an_error_is_typed_and_keeps_all_that_came(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.refuse(
                request, 1102, kind="keyReuse", retry="later", retryAfterMs=1500, effect="none",
                transaction="t",
            )

        async with Server(serve) as server, AsyncClient(server.path) as queue:
            with self.assertRaises(KeyReuse) as caught:
                await queue.add("coins.100", key="k")
            error = caught.exception
            self.assertEqual((error.code, error.kind), (1102, "keyReuse"))
            self.assertEqual((error.retry, error.retry_after), ("later", 1.5))
            self.assertEqual((error.effect, error.data["transaction"]), ("none", "t"))

    async def test_a_cancelled_call_ends_also_when_its_answer_comes_in_the_same_turn(self) -> None:
        call: List[asyncio.Future[PingResult]] = []

        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, {})

        async with Server(serve) as server, AsyncClient(server.path) as queue:
            receive = Wire.receive

            async def receive_and_cancel(wire: Wire) -> Union[Reply, Notification]:
                message = await receive(wire)
                call[0].cancel()
                return message

            with patch.object(Wire, "receive", receive_and_cancel):
                call.append(asyncio.ensure_future(queue.ping()))
                with self.assertRaises(asyncio.CancelledError):
                    await call[0]

    async def test_closing_ends_what_is_under_way_and_nothing_connects_again(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "ping":
                connection.reply(request, {})
            elif request["method"] == "subscribe":
                connection.reply(request, opened())

        async with Server(serve) as server:
            queue = AsyncClient(server.path)
            keys = KeyFile(server.file("keys"))
            calls: List[asyncio.Future[Any]] = [
                asyncio.ensure_future(queue.wait("t")),
                asyncio.ensure_future(queue.buy_once(keys, "order", "coins.100")),
            ]
            await eventually(lambda: len(server.asked) == 3, calls[0])
            await queue.close()
            done, _ = await asyncio.wait(calls, timeout=30)
            self.assertEqual([type(call.exception()) for call in calls], [ClientClosed] * 2)
            self.assertEqual(sorted(server.methods()), ["add", "subscribe", "wait"])
            await queue.ping()
            await queue.close()

    async def test_closing_by_a_handler_hands_nothing_more_out_and_connects_no_more(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, opened())
            found = [transaction(id, "purchased") for id in ("t1", "t2")]
            connection.notify("event", seq=2, kind="transactionsUpdated", transactions=found)
            connection.notify("caughtUp", seq=2)

        async with Server(serve) as server:
            queue = AsyncClient(server.path)
            handed = []

            async def handle(found: Transaction) -> None:
                handed.append(found["id"])
                await queue.close()

            with self.assertLogs("payqueued", "WARNING"):
                await asyncio.wait_for(queue.observe(handle), 30)
            self.assertEqual(handed, ["t1"])
            self.assertEqual(server.methods(), ["subscribe"])

    async def test_closing_ends_a_call_that_is_still_connecting(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, {})

        async with Server(serve) as server:
            queue = AsyncClient(server.path)
            call = asyncio.ensure_future(queue.ping())
            await asyncio.sleep(0)
            await queue.close()
            with self.assertRaises(ClientClosed):
                await call
            self.assertEqual(server.asked, [])

    async def test_a_daemon_that_reads_nothing_holds_up_neither_deadline_nor_cancelling(
        self,
    ) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            # As long as this waits the next request is not read.
            await is_over.wait()

        is_over = asyncio.Event()
        async with Server(serve) as server:
            queue = AsyncClient(server.path)
            request = {"payload": "x" * 40_000}
            calls = [asyncio.ensure_future(queue.call("ping", request)) for _ in range(60)]
            waiting = asyncio.ensure_future(queue.wait("t"))
            late = asyncio.ensure_future(queue.call("ping", request, timeout=0.05))
            await asyncio.wait({late}, timeout=30)
            self.assertIsInstance(late.exception(), CallTimedOut)
            for call in [waiting, *calls]:
                await cancelled(call)
            await queue.close()
            is_over.set()

    async def test_nobody_listening_is_told_at_once(self) -> None:
        with self.assertRaises(NotConnected):
            await AsyncClient("/nowhere/at/all").ping()

    async def test_the_key_is_on_disk_before_it_is_sent(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "subscribe":
                connection.reply(request, opened())
            elif request["method"] == "add":
                with open(server.file("keys")) as file:
                    self.assertEqual(json.load(file), {"order": request["params"]["key"]})
                connection.reply(request, {"transaction": "t", "state": "purchasing"})
            else:
                connection.reply(
                    request, {"transaction": transaction("t", "purchased"), "reached": True}
                )

        async with Server(serve) as server:
            keys = KeyFile(server.file("keys"))
            async with AsyncClient(server.path) as queue:
                bought = await queue.buy_once(keys, "order", "coins.100")
                self.assertEqual(bought["transactionState"], "purchased")
            self.assertEqual(server.methods(), ["subscribe", "add", "wait"])


    async def test_the_signed_history_is_followed_to_its_last_page(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            page = request["params"].get("page", "1")
            following = {"next": str(int(page) + 1)} if page < "3" else {}
            connection.reply(request, {"jws": page, "kid": "k", "alg": "ES256", **following})

        async with Server(serve) as server:
            async with AsyncClient(server.path) as queue:
                found = [page["jws"] async for page in queue.history_pages(limit=7)]
            self.assertEqual(found, ["1", "2", "3"])
            asked = params(server.asked, "signedHistory")
            self.assertEqual(asked, [
                {"limit": 7}, {"limit": 7, "page": "2"}, {"limit": 7, "page": "3"},
            ])

            def in_turn() -> List[str]:
                with Client(server.path) as queue:
                    return [page["jws"] for page in queue.history_pages()]

            self.assertEqual(await asyncio.to_thread(in_turn), ["1", "2", "3"])


class SubscriptionTests(unittest.IsolatedAsyncioTestCase):
    async def test_it_goes_on_behind_the_last_one_taken_also_in_a_new_process(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, opened())
            after = request["params"].get("after", 0)
            connection.notify("event", seq=after + 1, kind="productsChanged")
            if after == 0:
                connection.hang_up()

        async with Server(serve) as server:
            cursor = CursorFile(server.file("cursor"))
            queue = AsyncClient(server.path)
            events = queue.subscribe(cursor=cursor)
            self.assertEqual(await _positions(events, 2), [1, 2])
            await events.close()
            # The second was taken but not handled to the end, so it comes again.
            later = queue.subscribe(cursor=CursorFile(server.file("cursor")))
            self.assertEqual(await _positions(later, 1), [2])
            await later.close()
            self.assertEqual(
                params(server.asked, "subscribe"),
                [{}, {"after": 1, "epoch": "e1"}, {"after": 1, "epoch": "e1"}],
            )

    async def test_what_a_blocking_loop_failed_on_comes_again(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, opened())
            connection.notify("caughtUp", seq=5)
            connection.notify("event", seq=6, kind="productsChanged")

        def work(path: str, cursor: CursorFile) -> None:
            with Client(path) as queue:
                for notification in queue.subscribe(cursor=cursor):
                    if notification.seq == 6:
                        raise RuntimeError("the disk is full")

        async with Server(serve) as server:
            cursor = CursorFile(server.file("cursor"))
            with self.assertRaisesRegex(RuntimeError, "the disk is full"):
                await asyncio.get_running_loop().run_in_executor(None, work, server.path, cursor)
            self.assertEqual(cursor.load(), ("e1", 5))

    async def test_a_cursor_of_another_log_begins_anew_and_says_so(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if "after" in request["params"]:
                connection.refuse(request, 1303, kind="otherEpoch")
            else:
                connection.reply(request, opened(9, "e2"))
                connection.notify("caughtUp", seq=9)
                connection.notify("heartbeat", seq=9)

        async with Server(serve) as server:
            cursor = CursorFile(server.file("cursor"))
            cursor.store("e1", 5)
            events = AsyncClient(server.path).subscribe(cursor=cursor)
            methods = [(await events.__anext__()).method for _ in range(4)]
            self.assertEqual(methods, ["opened", "gap", "caughtUp", "heartbeat"])
            await events.close()
            self.assertEqual(cursor.load(), ("e2", 9))

    async def test_the_place_in_another_log_is_forgotten_with_that_log(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if len(server.asked) == 1:
                connection.refuse(request, 1303, kind="otherEpoch")
            else:
                connection.reply(request, opened(900, "e2"))
                connection.hang_up()

        async with Server(serve) as server:
            cursor = CursorFile(server.file("cursor"))
            cursor.store("e1", 500)
            events = AsyncClient(server.path).subscribe(cursor=cursor)
            methods = [(await events.__anext__()).method for _ in range(3)]
            self.assertEqual(methods, ["opened", "gap", "opened"])
            await events.close()
            self.assertEqual(
                params(server.asked, "subscribe"), [{"after": 500, "epoch": "e1"}, {}, {}]
            )

    async def test_it_comes_later_when_it_is_told_so_and_has_been_there_before(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if len(server.asked) in (2, 3):
                connection.say(error("later" if len(server.asked) == 2 else "no"))
            else:
                connection.reply(request, opened())
            connection.hang_up()

        def error(retry: str) -> JSONObject:
            data = {"kind": "tooManyConnections", "retry": retry, "retryAfterMs": 1}
            return {"id": None, "error": {"code": -32005, "message": "no", "data": data}}

        async with Server(serve) as server:
            events = AsyncClient(server.path).subscribe()
            self.assertEqual((await events.__anext__()).method, "opened")
            with self.assertRaises(ServerError):
                await events.__anext__()
            self.assertEqual(len(server.asked), 3)
            await events.close()
            server.asked[1:] = []
            with self.assertRaises(ServerError):
                await AsyncClient(server.path).subscribe().open()

    async def test_a_daemon_that_does_not_answer_keeps_nobody_longer_than_allowed(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if len(server.asked) == 2:
                connection.reply(request, opened())
                connection.hang_up()

        async with Server(serve) as server:
            queue = AsyncClient(server.path, timeout=0.5)
            with self.assertRaises(CallTimedOut):
                await queue.subscribe().open()
            events = queue.subscribe()
            self.assertEqual((await events.__anext__()).method, "opened")
            following = asyncio.ensure_future(_next(events))
            # It was there before, so it is tried again and again.
            await eventually(lambda: len(server.asked) == 4, following)
            await events.close()
            self.assertIsNone(await following)

    async def test_closing_while_it_opens_leaves_nothing_behind(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "ping":
                connection.reply(request, {})

        async with Server(serve) as server:
            queue = AsyncClient(server.path)
            for turns in range(8):
                events = queue.subscribe()
                following = asyncio.ensure_future(_next(events))
                for _ in range(turns):
                    await asyncio.sleep(0)
                await events.close()
                self.assertIsNone(await following)
            await queue.ping()
            await eventually(lambda: server.live == 1, asyncio.get_running_loop().create_future())
            await queue.close()

    async def test_closing_the_client_ends_its_subscriptions(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, opened())

        async with Server(serve) as server:
            queue = AsyncClient(server.path)
            events = queue.subscribe()
            self.assertEqual((await events.__anext__()).method, "opened")
            following = asyncio.ensure_future(_next(events))
            observing = asyncio.ensure_future(queue.observe(lambda found: None))
            await eventually(lambda: len(server.asked) == 2, observing)
            await queue.close()
            self.assertIsNone(await following)
            await observing
            await eventually(lambda: server.live == 0, asyncio.get_running_loop().create_future())

    async def test_a_blocking_iterator_that_is_dropped_unread_leaves_nothing_behind(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            connection.reply(request, opened())

        def work(path: str) -> None:
            queue.append(Client(path))
            queue[0].subscribe()

        queue: List[Client] = []
        async with Server(serve) as server:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, work, server.path)
            await eventually(lambda: server.live == 0, loop.create_future())
            await loop.run_in_executor(None, queue[0].close)

    async def test_what_is_not_taken_is_not_read(self) -> None:
        written = 0

        async def serve(connection: Connection, request: JSONObject) -> None:
            nonlocal written
            connection.reply(request, opened())
            for seq in range(1, 2000):
                connection.notify("event", seq=seq, kind="x", text="x" * 4000)
                await connection.writer.drain()
                written = seq

        async with Server(serve) as server:
            events = AsyncClient(server.path).subscribe()
            await events.open()
            seen = -1
            while seen != written:
                seen = written
                await asyncio.sleep(0.2)
            self.assertLess(written, 1000)
            self.assertEqual(len(await _positions(events, 1999)), 1999)
            await events.close()


class ObservingTests(unittest.IsolatedAsyncioTestCase):
    async def test_it_finishes_after_the_handler_and_hands_out_again_what_failed(self) -> None:
        steps: List[str] = []

        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "subscribe":
                connection.reply(request, opened())
                connection.updated(1, transaction("a", "purchased"), transaction("b", "purchased"))
                connection.removed(2, transaction("b", "purchased"))
                connection.notify("caughtUp", seq=2)
            elif request["method"] == "transactions":
                page = request["params"].get("page")
                if page is None:
                    connection.reply(request, {"transactions": [], "seq": 2, "next": "p"})
                else:
                    snapshot = transaction("a", "purchased")
                    connection.reply(request, {"transactions": [snapshot], "seq": 2})
            elif request["method"] == "finish":
                steps.append(f"finish {request['params']['transaction']}")
                connection.reply(request, {"disposition": "completing"})

        def handle(found: Transaction) -> None:
            steps.append(f"handle {found['id']}")
            if len(steps) == 1:
                raise RuntimeError("the disk is full")

        async with Server(serve) as server, AsyncClient(server.path) as queue:
            with self.assertLogs("payqueued", "ERROR"):
                observing = asyncio.ensure_future(queue.observe(handle, retry_every=0.05))
                await eventually(lambda: len(steps) == 3, observing)
            await cancelled(observing)
            self.assertEqual(steps, ["handle a", "handle a", "finish a"])

    async def test_what_failed_comes_again_also_while_there_is_always_something_new(self) -> None:
        handled: List[str] = []

        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "subscribe":
                connection.reply(request, opened())
                connection.updated(1, transaction("a", "purchased"))
                connection.notify("caughtUp", seq=1)
                flood.append(asyncio.ensure_future(pour(connection)))
            elif request["method"] == "transactions":
                snapshot = transaction("a", "purchased")
                connection.reply(request, {"transactions": [snapshot], "seq": 1})
            else:
                connection.reply(request, {"disposition": "completing"})

        async def pour(connection: Connection) -> None:
            for seq in itertools.count(2):
                connection.updated(seq, transaction(f"t{seq}", "purchased"))
                await connection.writer.drain()
                await asyncio.sleep(0)

        async def handle(found: Transaction) -> None:
            handled.append(found["id"])
            if found["id"] == "a":
                # Longer than from one round to the next; the others must have their turn, too.
                await asyncio.sleep(0.04)
                raise RuntimeError("the disk is full")

        flood: List[asyncio.Future[None]] = []
        async with Server(serve) as server, AsyncClient(server.path) as queue:
            with self.assertLogs("payqueued", "ERROR"):
                observing = asyncio.ensure_future(queue.observe(handle, retry_every=0.02))
                await eventually(
                    lambda: handled.count("a") >= 5 and len(set(handled)) > 5, observing
                )
            flood[0].cancel()
            await cancelled(observing)

    async def test_a_finish_that_got_no_answer_does_not_run_the_handler_again(self) -> None:
        handled: List[str] = []
        finishes = 0

        async def serve(connection: Connection, request: JSONObject) -> None:
            nonlocal finishes
            if request["method"] == "subscribe":
                connection.reply(request, opened())
                connection.updated(1, transaction("a", "purchased"))
                connection.notify("caughtUp", seq=1)
            elif request["method"] == "transactions":
                snapshot = transaction("a", "purchased")
                connection.reply(request, {"transactions": [snapshot], "seq": 1})
            elif request["method"] == "finish":
                finishes += 1
                if finishes == 1:
                    connection.refuse(request, -32008, kind="notDurable", effect="unknown")
                else:
                    connection.reply(request, {"disposition": "completing"})

        async with Server(serve) as server, AsyncClient(server.path) as queue:
            with self.assertLogs("payqueued", "WARNING"):
                observing = asyncio.ensure_future(
                    queue.observe(lambda found: handled.append(found["id"]), retry_every=0.05)
                )
                await eventually(lambda: finishes == 2, observing)
            await cancelled(observing)
            self.assertEqual(handled, ["a"])

    async def test_the_blocking_client_does_the_same(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "subscribe":
                connection.reply(request, opened())
                connection.updated(1, transaction("a", "purchased"))
                connection.notify("caughtUp", seq=1)
            else:
                connection.reply(request, {"disposition": "completing"})
                connection.notify("nobody asked")

        handled: List[str] = []

        def work(path: str) -> None:
            with Client(path) as queue:

                def show(notification: Notification) -> None:
                    if notification.kind == "transactionsRemoved":
                        raise StopObserving

                def handle(found: Transaction) -> None:
                    handled.append(found["id"])
                    if len(handled) == 1:
                        raise StopObserving

                queue.observe(handle, on_event=show)
                self.assertEqual(queue.finish("a")["disposition"], "completing")
                events = queue.subscribe()
                self.assertEqual(next(events).method, "opened")
                self.assertEqual(next(events).seq, 1)

        async with Server(serve) as server:
            await asyncio.get_running_loop().run_in_executor(None, work, server.path)
        self.assertEqual(handled, ["a"])


class ClosingTests(unittest.IsolatedAsyncioTestCase):
    async def test_closing_a_blocking_client_ends_what_other_threads_do_with_it(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "subscribe":
                connection.reply(request, opened())

        def observe() -> None:
            client[0].observe(lambda found: None)

        def iterate() -> None:
            for notification in client[0].subscribe():
                seen.append(notification.method)

        def call() -> None:
            with self.assertRaises(ClientClosed):
                client[0].wait("t")
            with self.assertRaises(ClientClosed):
                client[0].ping()

        seen: List[str] = []
        async with Server(serve) as server:
            client = [Client(server.path)]
            threads = [asyncio.to_thread(work) for work in (observe, iterate, call)]
            works = asyncio.gather(*threads)
            await eventually(lambda: len(server.asked) == 3 and len(seen) == 1, works)
            await asyncio.to_thread(client[0].close)
            await asyncio.wait({works}, timeout=30)
            self.assertEqual(works.result(), [None, None, None])
            self.assertEqual(seen, ["opened"])
            await eventually(lambda: server.live == 0, asyncio.get_running_loop().create_future())


class DiscoveryTests(unittest.TestCase):
    def test_the_socket_is_looked_for_in_the_agreed_order(self) -> None:
        user = {"XDG_RUNTIME_DIR": "/nowhere"}
        self.assertEqual(socket_path("/a", {"PAYQUEUED_SOCKET": "/b"}), "/a")
        self.assertEqual(socket_path(None, {"PAYQUEUED_SOCKET": "/b", **user}), "/b")
        self.assertEqual(socket_path(None, user), "/run/payqueued/payqueued.sock")
        self.assertEqual(os.path.basename(socket_path(None, {})), "payqueued.sock")


async def _next(events: Subscription) -> Optional[Notification]:
    try:
        return await events.__anext__()
    except StopAsyncIteration:
        return None


async def _positions(events: object, count: int) -> List[int]:
    found: List[int] = []
    async for notification in events:  # type: ignore[attr-defined]
        if notification.method == "event":
            found.append(notification.seq)
        if len(found) == count:
            break
    return found


if __name__ == "__main__":
    unittest.main()
