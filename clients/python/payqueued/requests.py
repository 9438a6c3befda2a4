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
    ClusterResult,
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
    HandoverResult,
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
    WaitingFor,
)
from .method import method
from .request import Request, fresh_key, given


def ping(payload: Optional[Any] = None) -> Request[PingResult]:
    """Check that the daemon answers.

    The reply comes from the event loop that owns the queue, and never waits for the store.

    - payload: A value that is returned unchanged.
    """
    return Request("ping", given(payload=payload))


def help(method: Optional[str] = None) -> Request[HelpResult]:
    """Explain a method, or list all of them.

    Returns text for a terminal, generated from the same source as rpc.discover.

    - method: The method; without it, all methods.
    """
    return Request("help", given(method=method))


def status() -> Request[StatusResult]:
    """Show daemon status and what transactions are waiting for.

    Shows the account in session, the queue and what its transactions wait for, the store, the log,
    the disk, and connections: the caller's own, or all of them with the role admin. With that role
    it also shows what each user holds of the limits that users share.
    """
    return Request("status")


def metrics() -> Request[MetricsResult]:
    """Show metrics, as OpenMetrics text.

    Connections, subscriptions, turns of the queue, records, transactions by state, health of the
    store. A collector can read the text as it is.
    """
    return Request("metrics")


def discover() -> Request[RpcDiscoverResult]:
    """Describe the interface as an OpenRPC document.

    Returns an OpenRPC 1.4 document, generated from the types that decode requests. Notifications
    are under x-notifications, limits under x-limits.
    """
    return Request("rpc.discover")


def check(method: str, params: Optional[Any] = None) -> Request[CheckResult]:
    """Check a call without executing it.

    Decodes the parameters as the method itself does, and returns the same error if they are wrong,
    or if the daemon knows without the store that it would refuse the call now. It changes nothing
    and sends nothing to the store.

    - method: The method.
    - params: The parameters to check.
    """
    return Request("check", given(method=method, params=params))


def products(
    ids: Optional[Sequence[str]] = None, *, limit: Optional[int] = None, page: Optional[str] = None,
) -> Request[ProductsResult]:
    """List products and their prices.

    Prices are those of the account's country; without an account in session, of the country assumed
    with storefront, else of the store's default country. Without ids the whole catalogue is
    returned, page by page. Products that are not sold there are listed under invalid; an identifier
    that is empty or longer than 256 bytes is an error.

    - ids: Only these products.
    - limit: The largest number of entries on the page; default 100.
    - page: The page token: the member next of an earlier result.
    """
    return Request("products", given(ids=ids, limit=limit, page=page), patience=30)


def entitlements() -> Request[EntitlementsResult]:
    """List what the account is entitled to now.

    Returns the latest live order of each non-consumable and of each active subscription, as the
    store reports it. Refunded orders and consumables are not listed. Whether the transaction is
    finished makes no difference.
    """
    return Request("entitlements", patience=30)


def signed_history(
    limit: Optional[int] = None, *, page: Optional[str] = None,
) -> Request[SignedHistoryResult]:
    """Fetch the account's signed purchase history.

    Returns one page of what the account in session has paid for, newest first, as a compact JWS.
    Its payload is a TransactionHistory of purchases and renewals, refunded ones with their
    revocation. Each page can be verified by itself with the keys of the store, which the method
    keys returns; kid and alg repeat its header. To read on, repeat the call with page set to next.
    New payments do not move pages, so following next returns each payment once. Without an account
    in session the call fails; login agents are not asked.

    - limit: The most purchases of the page; without it, and at most, as many as a reply line has
      room for.
    - page: The page token: the member next of an earlier result.
    """
    return Request("signedHistory", given(limit=limit, page=page), patience=30)


def keys() -> Request[KeysResult]:
    """Fetch the public keys of the store.

    Returns a JSON Web Key Set: the current signing key first, then earlier keys, so that older
    histories can still be verified. A kid is the thumbprint of RFC 7638. No account needs to be in
    session.
    """
    return Request("keys", patience=30)


def login(
    account: Optional[str] = None, *, credential: Optional[str] = None, trace: Optional[str] = None,
) -> Request[LoginResult]:
    """Open a session for an account.

    Payments that were added while no account was in session become this account's and are sent to
    the store. Another account replaces the one in session; the same account again changes nothing.
    A logout while the login is in progress cancels it. The session survives restarts. Without
    account, the login agents are asked in turn, and the reply waits for them.

    - account: The account at the store; without it, the login agents are asked in turn.
    - credential: The credential of the account; never logged.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "login", given(account=account, credential=credential, trace=trace), patience=150,
    )


def logout(trace: Optional[str] = None) -> Request[LogoutResult]:
    """Close the session.

    The account's transactions are hidden until it logs in again; orders that are in flight at the
    store continue there. The session at the store ends too if the store can be reached; its tokens
    are deleted in any case. Logging out twice is not an error.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("logout", given(trace=trace))


def storefront(assume: Optional[str] = None) -> Request[StorefrontResult]:
    """Show the storefront, or assume a country while logged out.

    Returns the storefront of the account in session; null without one. With assume, sets the
    country whose prices are shown while no account is in session; it survives restarts and is
    returned as assumed.

    - assume: The country to assume while no account is in session; "" clears it.
    """
    return Request("storefront", given(assume=assume))


def add(
    product: str, app_account_token: Optional[str] = None, *, key: Optional[str] = None, trace:
    Optional[str] = None,
) -> Request[AddResult]:
    """Buy a product.

    Accepts a payment. When the reply arrives, the transaction is on stable storage; its progress is
    sent as events. It is sent to the store once an account is in session and an observer is
    subscribed; until then waitingFor names what is missing. Send a fresh key with every intent to
    buy: repeating the call with the same key and parameters returns the first transaction and never
    charges twice. If no account is in session and a login agent is subscribed, the reply waits for
    the login.

    - product: The identifier of the product.
    - app_account_token: The application's own account identifier; it is stored with the purchase
      and returned with it.
    - key: The idempotency key; kept for at least 90 days and compared byte by byte.
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
    """Restore what the account owns.

    Accepts a restore. When the reply arrives, it is on stable storage. What the account owns is
    sent as transactions in state restored, then exactly one restoreCompleted or restoreFailed ends
    it, even across a restart. It needs an account in session and a subscribed observer. A call with
    the same filter joins the running restore; a call with another filter waits its turn.

    - key: The idempotency key; kept for at least 90 days and compared byte by byte.
    - app_account_token: Only purchases with this token.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "restore", given(key=key or fresh_key(), appAccountToken=app_account_token, trace=trace),
        patience=150,
    )


def finish(transaction: str, trace: Optional[str] = None) -> Request[FinishResult]:
    """Finish a delivered transaction.

    Call it after the purchase is delivered, not before: until then every new subscription gets the
    transaction again. The call can be repeated safely. A purchase is first completed at the store
    (completing), then leaves the queue with transactionsRemoved. A transaction that was never sent
    to the store is withdrawn (removed). A transaction that is in flight stays (ignoredInFlight).

    - transaction: The transaction.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("finish", given(transaction=transaction, trace=trace))


def transactions(
    ids: Optional[Sequence[str]] = None, *, states: Optional[Sequence[TransactionFilter]] = None,
    waiting_for: Optional[Sequence[WaitingFor]] = None, search: Optional[str] = None, limit:
    Optional[int] = None, page: Optional[str] = None,
) -> Request[TransactionsResult]:
    """List transactions.

    Without parameters, lists all unfinished transactions that are visible to the account in
    session; with several conditions, only those that meet all of them. A list that does not fit in
    one reply comes in pages: repeat the call with page set to next. One call examines a limited
    number of transactions, so a page can be short or empty and still have next.

    - ids: Only these transactions, in one reply: limit and page do not apply. Unknown identifiers
      are left out.
    - states: Only these states; finished lists transactions that have left the queue.
    - waiting_for: Only transactions that wait for one of these.
    - search: Only transactions whose identifier or order identifier begins with this text (4 digits
      or more), or whose product identifier or account token contains it. The case of ASCII letters
      does not matter.
    - limit: The largest number of entries on the page; default 100.
    - page: The page token: the member next of an earlier result.
    """
    return Request(
        "transactions", given(ids=ids, states=states, waitingFor=waiting_for, search=search,
        limit=limit, page=page),
    )


def wait(
    transaction: Optional[str] = None, *, restore: Optional[str] = None, until:
    Optional[Sequence[WaitUntil]] = None, timeout: Optional[float] = None,
) -> Request[WaitResult]:
    """Wait until a transaction is settled, or a restore has ended.

    For scripts: replies as soon as the transaction is in one of the wanted states, or the restore
    has ended; immediately if it already is. If the time runs out, the reply is normal, with reached
    false. Later requests on the same connection are answered meanwhile.

    - transaction: The transaction.
    - restore: The restore, instead of a transaction.
    - until: The states to wait for; default: any state but purchasing, or the removal. For
      transactions only.
    - timeout: The longest time to wait, in seconds; default 60.
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

    Polls for events, for scripts: call it again with after set to next. It does not redeliver
    unfinished transactions and does not count as an observer.

    - after: Only records after this position.
    - limit: The largest number of entries on the page; default 100.
    - wait: The time to wait for a first event if there is none yet, in seconds.
    - kinds: Only events of these kinds.
    - epoch: The epoch to which after belongs.
    """
    return Request(
        "events", given(after=after, limit=limit, wait=wait, kinds=kinds, epoch=epoch), patience=0
        if wait is None else wait,
    )


def ack(
    name: str, seq: Optional[int] = None, *, forget: Optional[bool] = None,
) -> Request[AckResult]:
    """Acknowledge events on behalf of a named observer.

    Stores the position durably: a later subscribe with the name starts after it. The
    acknowledgement covers everything up to seq; a smaller seq than before changes nothing. It does
    not finish transactions; finish does. With forget the name is given up; a live subscription with
    it continues without a name. A name of another user needs role admin.

    - name: The name of the observer.
    - seq: The sequence number of the last record that the observer has handled.
    - forget: Give the name up, instead of seq: its position is forgotten, and any user may use it.
    """
    return Request("ack", given(name=name, seq=seq, forget=forget))


def observers() -> Request[ObserversResult]:
    """List subscriptions and durable observer names.

    Lists live subscriptions with their filters and their lag, then durable names without a live
    subscription.
    """
    return Request("observers")


def delegate(
    mode: Optional[DelegateMode] = None, *, timeout: Optional[float] = None, fallback:
    Optional[bool] = None, after_login: Optional[DelegateAfterLogin] = None,
) -> Request[DelegateResult]:
    """Show or set the policy for a changed country or price.

    One durable policy for the whole queue. If a transaction would be charged in another country, or
    at another price, than was shown at add, it proceeds (continue), leaves the queue with
    discardedByGate (stop), or waits for an answer (ask). Without parameters the policy is only
    shown; parameters that are absent stay as they are.

    - mode: The policy for a changed country or price.
    - timeout: The time to answer, in seconds, from the moment the question reached an agent.
    - fallback: The answer that applies if none is given in time: true proceeds, false stops.
    - after_login: The policy after a login that an add asked for.
    """
    return Request(
        "delegate", given(mode=mode, timeout=timeout, fallback=fallback, afterLogin=after_login),
    )


def questions() -> Request[QuestionsResult]:
    """List open questions.

    Lists every open question that is visible to the account in session. Use answer to answer one;
    the first answer wins.
    """
    return Request("questions")


def answer(
    question: str, value: bool, reason: Optional[str] = None, *, trace: Optional[str] = None,
) -> Request[AnswerResult]:
    """Answer a question.

    Any client with the role gate may answer, whichever agent is asked. The first answer wins; the
    client that gave it may repeat it while the daemon runs. A login closes a login question with
    true; if it is answered true without a login, the waiting calls proceed and their work waits for
    a login.

    - question: The identifier of the question.
    - value: Whether to proceed.
    - reason: The reason; sent with questionClosed.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("answer", given(question=question, value=value, reason=reason, trace=trace))


def decide(
    transaction: str, outcome: DecideOutcome, trace: Optional[str] = None,
) -> Request[DecideResult]:
    """Approve or decline a transaction that waits for approval.

    Acts for the person who must approve a transaction (waitingFor approval). The reply comes when
    the store has reported the outcome to the queue. Only for the sandbox.

    - transaction: The transaction.
    - outcome: The decision.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request(
        "decide", given(transaction=transaction, outcome=outcome, trace=trace), repeatable=False,
    )


def drain(on: bool, trace: Optional[str] = None) -> Request[DrainResult]:
    """Stop accepting new payments, or resume.

    With on true, add and restore fail with error -32006 and everything else continues; the reply
    comes when no order is in flight at the store. If the call is cancelled meanwhile, draining
    stays on. With on false, new payments are accepted again. A restart also ends draining.

    - on: Whether new payments are refused.
    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("drain", given(on=on, trace=trace), patience=60)


def reload(trace: Optional[str] = None) -> Request[ReloadResult]:
    """Reload the configuration.

    Reads the configuration file and the catalogue again, and applies what can change while the
    daemon runs. If a file is refused, nothing changes.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("reload", given(trace=trace), patience=60)


def backup(trace: Optional[str] = None) -> Request[BackupResult]:
    """Write a backup of the whole state.

    Copies snapshot and journal into a new directory below backups, and verifies the copy before it
    replies. The queue keeps working meanwhile. Calls during a backup are answered by one more
    backup, which begins when the running one ends.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("backup", given(trace=trace), repeatable=False, patience=300)


def cluster() -> Request[ClusterResult]:
    """Show the nodes that share the queue.

    Asks etcd for the owner and the nodes, and each member of etcd for its state. Nodes report every
    five seconds. A daemon with its log in local files only refuses the call with error -32600.
    """
    return Request("cluster", patience=30)


def handover(trace: Optional[str] = None) -> Request[HandoverResult]:
    """Give the queue to another node.

    The owner replies, commits what it has taken, and gives its right back, so that another node
    owns the queue a moment later. Then its program starts again and follows; its clients stay
    connected. Without another node that is up it refuses with error -32014. A daemon with its log
    in local files only refuses the call with error -32600.

    - trace: A trace context, echoed in the records that the call causes.
    """
    return Request("handover", given(trace=trace), repeatable=False, patience=30)


def hello(
    client: Optional[HelloClient] = None, *, api: Optional[int] = None,
) -> Request[HelloResult]:
    """Introduce the client; learn versions, roles and limits.

    Optional: every method works without it. The name appears in status, in the records that this
    connection causes, and in the log. A later call replaces it.

    - client: The client: name, version?.
    - api: The version of the protocol that the client speaks; any other than the daemon's is an
      error.
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
    cluster = method(cluster)
    handover = method(handover)
    test = method(test)
