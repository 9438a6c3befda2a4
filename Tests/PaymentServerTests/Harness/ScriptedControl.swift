import PaymentAPI
import PaymentCore
import PaymentServer
import SandboxControl
import Synchronization

/// The controls of a store, as a test tells them to behave. Every call is answered at once.
final class ScriptedControl: StoreTestControl {
    struct Script {
        /// Everything that was asked, in its order.
        var calls: [String] = []
        /// What a control answers; nil for no order.
        var order: StoreOrder?
        /// What a control fails with.
        var failure: TestFailure?
        var settings = StoreTestSettings()
        var now = Timestamp(milliseconds: 0)
        /// When events are due, in their order.
        var due: [Timestamp] = []
        /// Whether an event is due again and again, a second after the one before.
        var isEndless = false
        /// Called for each event that happens.
        var onEvent: @Sendable () -> Void = {}
    }

    private let script = Mutex(Script())

    /// Reads or changes the script.
    func edit<Result: Sendable>(_ body: @Sendable (inout Script) -> Result) -> Result {
        script.withLock { body(&$0) }
    }

    /// Everything that was asked, in its order.
    var calls: [String] { edit { $0.calls } }

    func testSettings() async -> StoreTestSettings {
        edit {
            $0.calls.append("get")
            return $0.settings
        }
    }

    func applyTestSettings(
        _ change: StoreTestSettingsChange
    ) async throws(StoreFailure) -> StoreTestSettings {
        edit {
            $0.calls.append("set")
            if let latency = change.latencyMs { $0.settings.latencyMs = latency }
            return $0.settings
        }
    }

    func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        let order = try answer("orders \(page?.string ?? "-") \(limit)")
        return (order.map { [$0] } ?? [], "next")
    }

    func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        try answer("\(control) for \(account?.string ?? "nobody")")
    }

    func testClock() async -> TestClock {
        edit { $0.clock }
    }

    func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        let (clock, onEvent) = edit { script -> (TestClock, @Sendable () -> Void) in
            guard let next = script.clock.nextEventAt, next <= limit else {
                script.now = limit
                return (script.clock, {})
            }
            script.now = next
            if !script.isEndless { script.due.removeFirst() }
            return (script.clock, script.onEvent)
        }
        onEvent()
        return clock
    }

    private func answer(_ call: String) throws(TestFailure) -> StoreOrder? {
        let (failure, order) = edit { script -> (TestFailure?, StoreOrder?) in
            script.calls.append(call)
            return (script.failure, script.order)
        }
        if let failure { throw failure }
        return order
    }
}

extension ScriptedControl.Script {
    var clock: TestClock {
        TestClock(
            now: now, nextEventAt: isEndless ? now.advanced(bySeconds: 1) : due.first)
    }
}

/// A daemon that does as a test says.
struct ScriptedDaemon: DaemonControl {
    var refusal: DaemonRefusal?
    /// Whether the copy has everything that the log has.
    var hasAll = false

    func reload() async throws(DaemonRefusal) -> [String] {
        if let refusal { throw refusal }
        return ["roles"]
    }

    func backup() async throws(DaemonRefusal) -> BackupReceipt {
        if let refusal { throw refusal }
        return BackupReceipt(path: "/copy", sequence: 4, bytes: 99)
    }

    func cluster() async throws(DaemonRefusal) -> ClusterMethod.Result { throw .noCluster }

    func reachEnd() async -> Bool { hasAll }

    func handOver() {}

    func checkHandOver() async throws(DaemonRefusal) -> HandOver.Result {
        if let refusal { throw refusal }
        return HandOver.Result(node: "east", term: 7)
    }
}
