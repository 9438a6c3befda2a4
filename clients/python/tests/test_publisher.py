"""What a publisher grants: decided without a store and without cryptography."""

import importlib
import sys
import unittest
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

merchant: Any = importlib.import_module("_merchant")

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


if __name__ == "__main__":
    unittest.main()
