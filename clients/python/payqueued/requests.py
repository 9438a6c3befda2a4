"""Every method of the daemon as a function that makes a request.

`AsyncClient` and `Client` have each of them as a method of the same name. Written from the
contract by a test: do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, Mapping, Optional, Sequence, Union, overload

from .contract import (
    AckResult,
    AddResult,
    AnswerResult,
    BackupResult,
    CheckResult,
    DecideOutcome,
    DecideResult,
    DelegateAfterLogin,
    DelegateMode,
    DelegateResult,
    DrainResult,
    EntitlementsResult,
    EventKind,
    EventsResult,
    FinishResult,
    HelloClient,
    HelloResult,
    HelpResult,
    JSONObject,
    KeysResult,
    LoginResult,
    LogoutResult,
    MetricsResult,
    ObserversResult,
    Order,
    PingResult,
    ProductsResult,
    QuestionsResult,
    ReloadResult,
    RestoreResult,
    RpcDiscoverResult,
    SignedHistoryResult,
    StatusResult,
    StorefrontResult,
    SubscribeAfter,
    TestAutoRenewParams,
    TestBuyParams,
    TestClock,
    TestClockAdvanceParams,
    TestClockAdvanceResult,
    TestDeleteOrderParams,
    TestExpireParams,
    TestOrdersParams,
    TestOrdersResult,
    TestPriceIncreaseParams,
    TestRefundParams,
    TestRenewParams,
    TestResolveParams,
    TestSetParams,
    TestSettings,
    TransactionFilter,
    TransactionsResult,
    WaitResult,
    WaitUntil,
)
from .method import method
from .request import Request, fresh_key, given


def ping(payload: Optional[Any] = None) -> Request[PingResult]:
    """Ask whether the daemon is there.

    Answered by the part that owns the queue; never waits for the store.

    - payload: Comes back byte by byte.
    """
    return Request("ping", given(payload=payload))


def help(method: Optional[str] = None) -> Request[HelpResult]:
    """Explain a method, or list all of them.

    Text for people, made from the same source as rpc.discover.

    - method: The method; without it, all of them.
    """
    return Request("help", given(method=method))


def status() -> Request[StatusResult]:
    """Show what the daemon is doing, and why nothing moves.

    The account, the queue and what its transactions wait for, the store, the log, the disk, and the
    connections: your own, or all of them for an administrator.
    """
    return Request("status")


def metrics() -> Request[MetricsResult]:
    """Show what is counted, as OpenMetrics text.

    Connections, subscriptions, turns of the queue, records, transactions by state, the store's
    health. The text can be handed to a collector as it is.
    """
    return Request("metrics")


def discover() -> Request[RpcDiscoverResult]:
    """Describe the interface as an OpenRPC document.

    OpenRPC 1.4, made from the very types that read requests. Notifications are under
    x-notifications, limits under x-limits.
    """
    return Request("rpc.discover")


def check(method: str, params: Optional[Any] = None) -> Request[CheckResult]:
    """Check a call without making it.

    Reads the parameters as the method itself would and answers with the same error if they are
    wrong, or if the queue would refuse an add, a restore or a finish now. It changes nothing and
    does not ask the store.

    - method: The method.
    - params: What would be sent as its parameters.
    """
    return Request("check", given(method=method, params=params))


def products(
    ids: Optional[Sequence[str]] = None, *, limit: Optional[int] = None, page: Optional[str] = None,
) -> Request[ProductsResult]:
    """List products and their prices.

    With the prices of the account's country; logged out, of the country assumed with storefront,
    else of the store's default. Without ids the whole catalogue, page by page. What is not sold
    here is listed under invalid; an identifier that no product can have, empty or longer than 256
    bytes, is an error.

    - ids: Only these products.
    - limit: The most entries of a page; 100 without it.
    - page: The page that next of an earlier answer named.
    """
    return Request("products", given(ids=ids, limit=limit, page=page), patience=30)


def entitlements() -> Request[EntitlementsResult]:
    """List what the account may use now.

    The latest live order of each non-consumable and of each subscription that is active, as the
    store tells it; nothing that was refunded, no consumables. Whether a transaction is unfinished
    does not matter here.
    """
    return Request("entitlements", patience=30)


def signed_history(
    limit: Optional[int] = None, *, page: Optional[str] = None,
) -> Request[SignedHistoryResult]:
    """Fetch what the account has paid for, signed by the store.

    A page of what the account in session has paid for, the newest payment first: a compact JWS
    whose payload is a TransactionHistory of purchases and renewals, refunded ones with their
    revocation, as the store knows them now. Each page can be verified by itself, with the keys of
    the store, which the method keys returns; kid and alg repeat what its header says. Repeat the
    call with the page that next gave for what was paid before: what is paid for meanwhile moves no
    page, so that following next gives each payment once. Nobody is asked to log in: without an
    account in session the call fails.

    - limit: The most purchases of the page; without it, and at most, as many as a reply line has
      room for.
    - page: The page that next of an earlier answer named.
    """
    return Request("signedHistory", given(limit=limit, page=page), patience=30)


def keys() -> Request[KeysResult]:
    """Fetch the public keys that the store signs with.

    A JSON Web Key Set as any library reads it: the key in use first, then those that have signed
    before, so that older histories can still be verified. A kid is the thumbprint of RFC 7638. It
    takes no account in session.
    """
    return Request("keys", patience=30)


def login(
    account: Optional[str] = None, *, credential: Optional[str] = None, trace: Optional[str] = None,
) -> Request[LoginResult]:
    """Open a session for an account.

    What was added while nobody was logged in becomes this account's and is sent to the store.
    Another account replaces the one in session; the same again changes nothing. A logout while it
    is under way cancels it. The session survives restarts. Without account those are asked who are
    subscribed as login agents, and the answer waits for them.

    - account: The account at the store; without it the login agents are asked.
    - credential: What proves it; never logged.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "login", given(account=account, credential=credential, trace=trace), patience=150,
    )


def logout(trace: Optional[str] = None) -> Request[LogoutResult]:
    """Close the session.

    The account's transactions are hidden until it logs in again; what is under way at the store
    goes on there. The session at the store ends as well if the store can be reached; its tokens are
    forgotten in any case. Logging out twice is no error.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("logout", given(trace=trace))


def storefront(assume: Optional[str] = None) -> Request[StorefrontResult]:
    """Show the account's storefront, or assume a country.

    The storefront of the account in session; null while nobody is logged in. With assume, the
    country whose prices are shown while nobody is logged in; it is kept over restarts and shown as
    assumed.

    - assume: The country to assume while nobody is logged in; "" takes it back.
    """
    return Request("storefront", given(assume=assume))


def add(
    product: str, app_account_token: Optional[str] = None, *, key: Optional[str] = None, trace:
    Optional[str] = None,
) -> Request[AddResult]:
    """Buy a product.

    Accepts a payment: when the reply comes, the transaction is on stable storage. What becomes of
    it comes as events. It is sent to the store once an account is in session and somebody is
    subscribed; until then waitingFor says what is missing. Send a fresh key with every intent to
    buy: repeating the call with the same key and the same parameters answers with the first
    transaction and never charges twice. While nobody is logged in and somebody is subscribed as a
    login agent, the answer waits for the login.

    - product: The identifier of the product.
    - app_account_token: Ties the purchase to the application's own account; carried and echoed.
    - key: The idempotency key; kept for at least 90 days, compared by bytes.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "add", given(product=product, appAccountToken=app_account_token, key=key or fresh_key(),
        trace=trace), patience=150,
    )


def restore(
    key: Optional[str] = None, *, app_account_token: Optional[str] = None, trace: Optional[str] =
    None,
) -> Request[RestoreResult]:
    """Be given again what the account owns.

    Accepts a restore; when the reply comes, it is on stable storage. What the account owns comes as
    transactions in state restored, then exactly one restoreCompleted or restoreFailed ends it, also
    over a restart. It needs an account in session and somebody who is subscribed. A call for the
    same purchases joins the restore that runs; another one waits its turn.

    - key: The idempotency key; kept for at least 90 days, compared by bytes.
    - app_account_token: Only purchases that carry this token.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "restore", given(key=key or fresh_key(), appAccountToken=app_account_token, trace=trace),
        patience=150,
    )


def finish(transaction: str, trace: Optional[str] = None) -> Request[FinishResult]:
    """Take a delivered transaction out of the queue.

    Call it after the goods are delivered, not before: until then every new subscription gets the
    transaction again. Repeat it freely. A purchase is completed with the store first (completing)
    and leaves the queue with transactionsRemoved. What was never sent is withdrawn (removed). What
    is under way stays (ignoredInFlight).

    - transaction: The transaction.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("finish", given(transaction=transaction, trace=trace))


def transactions(
    ids: Optional[Sequence[str]] = None, *, states: Optional[Sequence[TransactionFilter]] = None,
    limit: Optional[int] = None, page: Optional[str] = None,
) -> Request[TransactionsResult]:
    """List transactions.

    Without parameters everything unfinished that the account in session may see. A list that does
    not fit comes in pages: repeat the call with the page that next gave.

    - ids: Only these transactions; unknown ones are left out.
    - states: Only these states. finished lists what left the queue.
    - limit: The most entries of a page; 100 without it.
    - page: The page that next of an earlier answer named.
    """
    return Request("transactions", given(ids=ids, states=states, limit=limit, page=page))


def wait(
    transaction: Optional[str] = None, *, restore: Optional[str] = None, until:
    Optional[Sequence[WaitUntil]] = None, timeout: Optional[float] = None,
) -> Request[WaitResult]:
    """Wait until a transaction is decided, or a restore has ended.

    For scripts: answers as soon as the transaction is in one of the wanted states, or the restore
    has ended, at once if it is so already. When the time runs out the answer is normal, with
    reached false. Requests behind it on the same connection are answered meanwhile.

    - transaction: The transaction.
    - restore: The restore, instead.
    - until: What to wait for; without it any state but purchasing, or the removal. For transactions
      only.
    - timeout: Seconds to wait at most; 60 without it.
    """
    return Request(
        "wait", given(transaction=transaction, restore=restore, until=until, timeout=timeout),
        patience=60 if timeout is None else timeout,
    )


def events(
    after: Union[int, SubscribeAfter], limit: Optional[int] = None, *, wait: Optional[float] = None,
    kinds: Optional[Sequence[EventKind]] = None, epoch: Optional[str] = None,
) -> Request[EventsResult]:
    """Read the event log page by page.

    The pull form of subscribe, for shells: call it again with after set to next. It redelivers
    nothing and makes no transaction proceed.

    - after: Records behind this place.
    - limit: The most entries of a page; 100 without it.
    - wait: Seconds to wait for the first event if there is none yet.
    - kinds: Only these kinds.
    - epoch: The epoch that after belongs to.
    """
    return Request(
        "events", given(after=after, limit=limit, wait=wait, kinds=kinds, epoch=epoch), patience=0
        if wait is None else wait,
    )


def ack(name: str, seq: int) -> Request[AckResult]:
    """Say up to where a named observer has dealt with everything.

    Kept durably: subscribe with the name begins behind it. Everything up to seq counts; a smaller
    seq than before changes nothing. It finishes no transaction, finish does.

    - name: The observer.
    - seq: The last record it has dealt with.
    """
    return Request("ack", given(name=name, seq=seq))


def observers() -> Request[ObserversResult]:
    """List who watches, and the durable names.

    Who watches, what each is shown, and how far behind it is; then the durable names whose
    observers are away.
    """
    return Request("observers")


def delegate(
    mode: Optional[DelegateMode] = None, *, timeout: Optional[float] = None, fallback:
    Optional[bool] = None, after_login: Optional[DelegateAfterLogin] = None,
) -> Request[DelegateResult]:
    """Show or set what happens when country or price changed.

    One durable policy for the whole queue. A transaction that would be charged in another country,
    or at another price, than was shown at add goes on (continue), leaves the queue with
    discardedByGate (stop), or waits for an answer (ask). Without parameters the policy is only
    shown; what is not given stays as it is.

    - mode: What happens when country or price changed.
    - timeout: Seconds that silence is waited for once somebody was asked.
    - fallback: What silence means: true goes on, false does not.
    - after_login: What happens after a login that add had asked for.
    """
    return Request(
        "delegate", given(mode=mode, timeout=timeout, fallback=fallback, afterLogin=after_login),
    )


def questions() -> Request[QuestionsResult]:
    """List what waits for an answer.

    Every question that is open and that the account in session may see. Answer one with answer; the
    first answer wins.
    """
    return Request("questions")


def answer(
    question: str, value: bool, reason: Optional[str] = None, *, trace: Optional[str] = None,
) -> Request[AnswerResult]:
    """Answer a question.

    Anybody who may may answer, whoever was asked; the first answer wins, and whoever gave it may
    repeat it while the daemon runs. It is true or false, nothing else. A login question is answered
    true by a login; answered true without one, the calls behind it go on and what they ask for
    waits for a login.

    - question: The question.
    - value: Whether to go on.
    - reason: Why; shown with questionClosed.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("answer", given(question=question, value=value, reason=reason, trace=trace))


def decide(
    transaction: str, outcome: DecideOutcome, trace: Optional[str] = None,
) -> Request[DecideResult]:
    """Approve or decline what waits for an approval.

    Plays the person whose approval a transaction waits for (waitingFor approval). Answers when the
    queue has learned of the outcome from the store. Only a sandbox lets you.

    - transaction: The transaction.
    - outcome: What becomes of it.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "decide", given(transaction=transaction, outcome=outcome, trace=trace), repeatable=False,
    )


def drain(on: bool, trace: Optional[str] = None) -> Request[DrainResult]:
    """Take no new work.

    With on true, add and restore are refused with error -32006 and everything else goes on; the
    answer comes when no order is under way at the store any more. A call that is cancelled
    meanwhile leaves it on. With on false, new work is taken again. A restart takes it back.

    - on: Whether new work is refused.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("drain", given(on=on, trace=trace), patience=60)


def reload(trace: Optional[str] = None) -> Request[ReloadResult]:
    """Read the configuration again.

    Reads the configuration file and the catalogue again and puts into force what can change while
    the daemon runs. All of it or nothing: a file that is refused leaves everything as it was.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("reload", given(trace=trace), patience=60)


def backup(trace: Optional[str] = None) -> Request[BackupResult]:
    """Keep a copy of the whole state.

    Copies snapshot and journal to a directory of its own below backups, reads the copy back and
    proves it before it answers. The queue works on meanwhile.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("backup", given(trace=trace), repeatable=False, patience=300)


def hello(
    client: Optional[HelloClient] = None, *, api: Optional[int] = None,
) -> Request[HelloResult]:
    """Say who you are and learn versions, roles and limits.

    Optional: every method works without it. The name given here appears in status, in the records
    that this connection causes and in the log. A later call replaces it.

    - client: Who calls: name, version?.
    - api: The version of the interface wanted; another one than ours is an error.
    """
    return Request("hello", given(client=client, api=api))


@overload
def test(control: Literal["get"], params: Optional[JSONObject] = None) -> Request[TestSettings]: ...


@overload
def test(
    control: Literal["set"], params: Optional[TestSetParams] = None,
) -> Request[TestSettings]: ...


@overload
def test(
    control: Literal["orders"], params: Optional[TestOrdersParams] = None,
) -> Request[TestOrdersResult]: ...


@overload
def test(control: Literal["buy"], params: TestBuyParams) -> Request[Order]: ...


@overload
def test(
    control: Literal["refund"], params: Optional[TestRefundParams] = None,
) -> Request[Order]: ...


@overload
def test(
    control: Literal["resolve"], params: Optional[TestResolveParams] = None,
) -> Request[Order]: ...


@overload
def test(control: Literal["renew"], params: TestRenewParams) -> Request[JSONObject]: ...


@overload
def test(control: Literal["expire"], params: TestExpireParams) -> Request[JSONObject]: ...


@overload
def test(control: Literal["autoRenew"], params: TestAutoRenewParams) -> Request[JSONObject]: ...


@overload
def test(
    control: Literal["priceIncrease"], params: TestPriceIncreaseParams,
) -> Request[JSONObject]: ...


@overload
def test(
    control: Literal["deleteOrder"], params: Optional[TestDeleteOrderParams] = None,
) -> Request[JSONObject]: ...


@overload
def test(control: Literal["clear"], params: Optional[JSONObject] = None) -> Request[JSONObject]: ...


@overload
def test(control: Literal["reset"], params: Optional[JSONObject] = None) -> Request[JSONObject]: ...


@overload
def test(
    control: Literal["clock.get"], params: Optional[JSONObject] = None,
) -> Request[TestClock]: ...


@overload
def test(
    control: Literal["clock.advance"], params: TestClockAdvanceParams,
) -> Request[TestClockAdvanceResult]: ...


def test(control: str, params: Optional[Mapping[str, Any]] = None) -> Request[Any]:
    """Sandbox: a control by its name, as in ``test("set", {"askToBuyEnabled": True})``."""
    repeatable = control in ("get", "set", "orders", "clock.get")
    return Request(f"test.{control}", dict(params or {}), repeatable=repeatable)


class Methods:
    """One method for each of the daemon; ``send`` of the client decides how it is carried out."""

    ping = method(ping)
    help = method(help)
    status = method(status)
    metrics = method(metrics)
    discover = method(discover)
    check = method(check)
    products = method(products)
    entitlements = method(entitlements)
    signed_history = method(signed_history)
    keys = method(keys)
    login = method(login)
    logout = method(logout)
    storefront = method(storefront)
    add = method(add)
    restore = method(restore)
    finish = method(finish)
    transactions = method(transactions)
    wait = method(wait)
    events = method(events)
    ack = method(ack)
    observers = method(observers)
    delegate = method(delegate)
    questions = method(questions)
    answer = method(answer)
    decide = method(decide)
    drain = method(drain)
    reload = method(reload)
    backup = method(backup)
    test = method(test)
