import PaymentCore
import SandboxControl

/// The part of the catalogue and accounts that is readable without the sandbox's executor.
struct CatalogueSnapshot: Sendable {
    /// The catalogue.
    let store: StoreCatalogue
    /// The current settings.
    let settings: StoreTestSettings
    /// The groups for which each account was charged an introductory offer.
    var introduced: [AccountName: Set<OpaqueText>]

    init(
        _ settings: StoreTestSettings, in store: StoreCatalogue,
        introduced: [AccountName: Set<OpaqueText>]
    ) {
        self.store = store
        self.settings = settings
        self.introduced = introduced
    }

    /// The locale of product texts.
    var locale: String { settings.locale?.string ?? store.locale }
    /// Whether a simulated error hides the products.
    var isShut: Bool { settings.simulatedErrors[.products] != nil }

    /// Facts about an account; nil if the account is unknown.
    func facts(of name: AccountName) -> AccountFacts? {
        guard let account = store.account(name) else { return nil }
        return AccountFacts(
            country: settings.storefront ?? account.country,
            paymentsAllowed: account.paymentsAllowed && settings.paymentsAllowed,
            introduced: introduced[name, default: []])
    }
}

/// A timer for the next due event.
struct SandboxTimer {
    let due: Timestamp
    let clock: SandboxClock?
    let task: Task<Void, Never>
}

extension Sandbox {
    /// The maximum number of events in one catch-up. More due events wait for the next one, so that
    /// years of renewals do not delay a call.
    static let eventsAtOnce = 64
    /// The longest timer interval. A change of the system clock is noticed within this time.
    private static let longestWaitMs: Int64 = 600_000

    /// Records all due events, and sets the clock to the rate of the settings.
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

    /// Starts the timer for the next due event.
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

    /// Records due events when the timer fires. A failed commit ends the sandbox, and the next call
    /// throws the failure.
    private func wakeUp() async {
        timer = nil
        guard !hasEnded else { return }
        catchUp()
        try? await makeDurable()
        armTimer()
    }
}
