"""What a publisher grants: decided without a store and without cryptography."""

import http.client
import importlib
import json
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Dict, List, Optional, Tuple

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

merchant: Any = importlib.import_module("_merchant")
publisher: Any = importlib.import_module("publisher")

ORDER = "3e46c75a-7e04-4530-979a-e275f3a7c50c"
NOW = datetime(2026, 1, 26, 10, 5, tzinfo=timezone.utc)


def purchase(**changes: Any) -> Dict[str, Any]:
    return {
        "order_id": ORDER, "bundle_id": "com.example.app", "app_account_token": "user-1",
        "expires_at": None, "revocation_date": None, "fetched_at": "2026-01-26T10:05:00.000Z",
        **changes,
    }


class PublisherTests(unittest.TestCase):
    def reason(self, *purchases: Dict[str, Any], user: str = "user-1") -> str:
        with self.assertRaises(merchant.Refused) as caught:
            merchant.entitling(list(purchases), ORDER, "com.example.app", user, NOW)
        return str(caught.exception)

    def test_a_purchase_of_the_user_is_granted(self) -> None:
        other = purchase(order_id="4f57d86b-8f15-4641-880b-f386a4b8d61d", revocation_date="x")
        for end in (None, "2026-01-26T10:05:00.001Z"):
            found = merchant.entitling(
                [other, purchase(expires_at=end)], ORDER, "com.example.app", "user-1", NOW
            )
            self.assertEqual(found["order_id"], ORDER)

    def test_a_missing_member_means_null(self) -> None:
        whole = purchase()
        for name in ("expires_at", "revocation_date"):
            del whole[name]
        merchant.entitling([whole], ORDER, "com.example.app", "user-1", NOW)

    def test_everything_else_is_refused_for_its_reason(self) -> None:
        self.assertEqual(self.reason(), "unknownOrder")
        self.assertEqual(self.reason(purchase(), user="user-2"), "foreign")
        self.assertEqual(self.reason(purchase(bundle_id="com.example.other")), "foreign")
        revoked = purchase(revocation_date="2026-01-26T10:00:00.000Z", revocation_reason="Refund")
        self.assertEqual(self.reason(revoked), "revoked")
        for end in ("2026-01-26T10:05:00.000Z", "2025-12-26T10:00:00Z"):
            self.assertEqual(self.reason(purchase(expires_at=end)), "expired")

    def test_the_clock_of_a_store_that_is_ahead_counts(self) -> None:
        late = purchase(
            expires_at="2026-03-01T00:00:00.000Z", fetched_at="2026-03-02T00:00:00.000Z"
        )
        self.assertEqual(self.reason(late), "expired")

    def test_an_order_is_granted_once_whatever_a_user_is_called(self) -> None:
        other = "4f57d86b-8f15-4641-880b-f386a4b8d61d"
        bought = {"order_id": ORDER, "product_id": "remove-ads"}
        with tempfile.TemporaryDirectory() as place:
            path = str(Path(place) / "grants")
            for line in (f"{other} u p", json.dumps({"order": other})):
                order = f"{ORDER}-{len(line)}"
                user = f"x\n{line}\u2028{line}\n"
                publisher.Grants(path).grant({**bought, "order_id": order}, user)
            self.assertTrue(publisher.Grants(path).grant(bought, "user-1"))
            self.assertFalse(publisher.Grants(path).grant(bought, "user-1"))
            self.assertTrue(publisher.Grants(path).grant({**bought, "order_id": other}, "user-1"))
            lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
        self.assertEqual(len(lines), 4)
        self.assertEqual(lines[2], {"order": ORDER, "user": "user-1", "product": "remove-ads"})

    def test_a_grant_that_a_crash_cut_off_is_given_again(self) -> None:
        bought = {"order_id": ORDER, "product_id": "remove-ads"}
        other = {**bought, "order_id": "4f57d86b-8f15-4641-880b-f386a4b8d61d"}
        third = {**bought, "order_id": "5a1f0c7e-8f15-4641-880b-f386a4b8d61d"}
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "grants"
            publisher.Grants(str(path)).grant(other, "user-2")
            publisher.Grants(str(path)).grant(bought, "user-1")
            whole = path.read_bytes()
            for end in range(whole.index(b"\n") + 2, len(whole)):
                path.write_bytes(whole[:end])
                is_whole = end == len(whole) - 1
                grants = publisher.Grants(str(path))
                self.assertFalse(grants.grant(other, "user-2"))
                self.assertEqual(grants.grant(bought, "user-1"), not is_whole)
                # A disk that was full for a moment.
                with path.open("ab") as file:
                    file.write(b'\n{"order"')
                self.assertTrue(grants.grant(third, "user-3"))
                for one in (bought, other, third):
                    self.assertFalse(publisher.Grants(str(path)).grant(one, "user-1"))

    def test_whatever_an_order_is_called_is_one_step_of_the_path(self) -> None:
        asked: List[str] = []

        class Recording(merchant.MerchantAPI):  # type: ignore[misc]
            def __init__(self) -> None:
                pass

            def token(self) -> str:
                return "token"

            def _get(self, path: str, headers: Any = None) -> Tuple[bytes, Optional[str]]:
                asked.append(path.rpartition("/history/")[2])
                raise merchant.Refused("unknownOrder")

        for order in ("a b", "\u00e9", "../../x", "a?b", "\ud800"):
            with self.assertRaises(merchant.Refused):
                list(Recording().history(order))
        self.assertEqual(asked, ["a%20b", "%C3%A9", "..%2F..%2Fx", "a%3Fb", "%3F"])


    def test_an_old_order_is_found_on_a_later_page_and_no_page_is_asked_for_in_vain(self) -> None:
        pages = {
            f"/merchant-api/v1/purchases/in-app/history/{ORDER}": (["new"], "/second"),
            "/second": ([ORDER], "/third"),
            "/third": (["old"], None),
        }
        asked: List[str] = []
        tokens = iter("abc")

        class Paging(merchant.MerchantAPI):  # type: ignore[misc]
            def __init__(self) -> None:
                pass

            def token(self) -> str:
                return next(tokens)

            def verified(self, jws: str) -> Dict[str, Any]:
                return {"transactions": [purchase(order_id=one) for one in json.loads(jws)]}

            def _get(self, place: str, headers: Any = None) -> Tuple[bytes, Optional[str]]:
                asked.append(headers["Authorization"])
                orders, following = pages[place]
                return json.dumps(orders).encode(), following

        found = merchant.entitling(
            Paging().history(ORDER), ORDER, "com.example.app", "user-1", NOW
        )
        self.assertEqual(found["order_id"], ORDER)
        self.assertEqual(asked, ["Bearer a", "Bearer b"])

    def test_a_link_leads_on_within_the_store_only(self) -> None:
        follow: Any = merchant._next_place
        self.assertEqual(follow('</history/x?page=1>; rel="next"'), "/history/x?page=1")
        for link in (None, "", '<https://other.example/x>; rel="next"', '</x>; rel="prev"', "</x>"):
            self.assertIsNone(follow(link))


class Broken:
    """A store that cannot be asked."""

    def history(self, order: str) -> List[Any]:
        raise ConnectionError("nobody listens")


class BackendTests(unittest.TestCase):
    def setUp(self) -> None:
        publisher.Backend.api = Broken()
        publisher.Backend.grants = None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), publisher.Backend)
        Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def ask(self, body: bytes, **headers: str) -> Tuple[int, Dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        try:
            connection.request("POST", "/validate", body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def test_what_makes_no_sense_is_answered_and_not_dropped(self) -> None:
        wrong: List[bytes] = [
            b"", b"{", b"[]", b"null", b"1", b"[" * 4000, b"\xff", b'{"order":"x"}',
            b'{"order":1,"user":"u"}', b'{"order":"x","user":null}', b" " * 5000,
        ]
        for body in wrong:
            self.assertEqual(self.ask(body), (400, {"error": "badRequest"}), body[:40])
        length = {"Content-Length": "-1"}
        self.assertEqual(self.ask(b"", **length)[0], 400)

    def test_a_store_that_cannot_be_asked_is_told_of(self) -> None:
        told = {"error": "the store cannot be asked"}
        self.assertEqual(self.ask(b'{"order":"x","user":"u"}'), (503, told))


if __name__ == "__main__":
    unittest.main()
