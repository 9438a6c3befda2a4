import PaymentCore
import SandboxControl

/// The catalogue and the accounts, as far as they can be known without asking the sandbox.
struct CatalogueSnapshot: Sendable {
    /// The products that are sold.
    let store: StoreCatalogue
    /// The settings in force.
    let settings: StoreTestSettings
    /// The groups that accounts were charged an introductory offer of.
    var introduced: [AccountName: Set<OpaqueText>]

    init(
        _ settings: StoreTestSettings, in store: StoreCatalogue,
        introduced: [AccountName: Set<OpaqueText>]
    ) {
        self.store = store
        self.settings = settings
        self.introduced = introduced
    }

    /// How products are described.
    var locale: String { settings.locale?.string ?? store.locale }
    /// Whether a simulated error hides the products.
    var isShut: Bool { settings.simulatedErrors[.products] != nil }

    /// Facts about an account; nil if there is none of that name.
    func facts(of name: AccountName) -> AccountFacts? {
        guard let account = store.account(name) else { return nil }
        return AccountFacts(
            country: settings.storefront ?? account.country,
            paymentsAllowed: account.paymentsAllowed && settings.paymentsAllowed,
            introduced: introduced[name, default: []])
    }
}

/// A wait for the next event that falls due.
struct SandboxTimer {
    let due: Timestamp
    let clock: SandboxClock?
    let task: Task<Void, Never>
}

extension Sandbox {
    /// Most events that happen at one go. What else is due has to wait for the next go, so that
    /// years of renewals do not keep a call waiting.
    static let eventsAtOnce = 64
    /// The longest wait of the timer: a real clock that was set is noticed after that at the latest.
    private static let longestWaitMs: Int64 = 600_000

    /// Lets happen what has fallen due, and brings the clock to the rate of the settings.
    func catchUp() {
        let real = time()
        if let rate = state.decide(rateOf: settings, at: real) { record(rate) }
        let now = state.now(at: real)
        for _ in 1...Self.eventsAtOnce {
            guard let at = state.nextDue?.at, at <= now else { return }
            let id = freshOrderID()
            guard let event = sales.decideNextDue(by: now, as: id) else {
                return
            }
            record(event)
        }
    }

    /// Sees to it that the next event happens when it is due.
    func armTimer() {
        guard !hasEnded, let due = state.nextDue?.at,
            let rest = state.realMillisecondsUntilNextDue(at: time())
        else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if let timer, timer.due == due, timer.clock == state.clock { return }
        timer?.task.cancel()
        let clock = environment.clock
        let wait = Duration.milliseconds(min(rest, Self.longestWaitMs))
        timer = SandboxTimer(
            due: due, clock: state.clock,
            task: Task { [weak self] in
                do {
                    try await clock.sleep(for: wait)
                } catch {
                    return
                }
                await self?.wakeUp()
            })
    }

    /// A commit that fails ends the sandbox; the next call says so.
    private func wakeUp() async {
        timer = nil
        guard !hasEnded else { return }
        catchUp()
        try? await makeDurable()
        armTimer()
    }
}
