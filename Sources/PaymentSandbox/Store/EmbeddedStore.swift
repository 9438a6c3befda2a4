public import PaymentCore
public import SandboxControl

/// The embedded store as a value: a catalogue, accounts, orders, subscriptions and a clock.
///
/// Each call decides on the state, then changes it, and returns a ``StoreStep``: the answer, the
/// events to commit, the changes for listeners. The store reads no clock, draws no random numbers and
/// performs no input or output. Events that are due happen at the next call; otherwise the caller
/// calls ``catchUp(_:)`` at ``wakeAt``.
public struct EmbeddedStore: Sendable {
    /// The products and the accounts.
    public private(set) var catalogue: StoreCatalogue
    /// The orders, subscriptions and settings, with all events so far applied.
    public private(set) var state: SandboxState
    /// The catalogues that were asked for, with the current texts.
    private var catalogues: [CountryCode: Catalogue] = [:]

    /// The maximum number of events of one ``catchUp(_:)``. The next call continues, so that years of
    /// renewals do not delay one answer.
    public static let eventsAtOnce = 64

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - catalogue: The products and the accounts.
    ///   - state: The state from the journal; empty for a new store.
    public init(_ catalogue: StoreCatalogue, state: SandboxState = SandboxState()) {
        self.catalogue = catalogue
        self.state = state
    }

    /// The current settings: those of the catalogue with the changes of clients.
    public var settings: StoreTestSettings { sales.settings }

    /// The real time when the next event is due; nil if none is. The caller then calls
    /// ``catchUp(_:)``.
    public var wakeAt: Timestamp? { state.nextDueAt }

    /// The rules of a sale in the current state.
    var sales: SaleRules { SaleRules(state: state, store: catalogue) }

    /// Replaces the catalogue. Orders and settings stay.
    ///
    /// - Returns: The changes for listeners; none if the catalogue is the same.
    public mutating func use(_ new: StoreCatalogue) -> Set<StoreChange> {
        guard new != catalogue else { return [] }
        catalogue = new
        catalogues = [:]
        return [.account(nil), .catalogue]
    }

    /// Applies an event that another node has recorded.
    mutating func replay(_ event: SandboxEvent) throws {
        try state.replay(event)
        // Texts and prices of a catalogue may depend on the state.
        catalogues = [:]
    }

    /// Applies the events that are due, at most ``eventsAtOnce``, and sets the clock to the rate of
    /// the settings. It does neither while the store is held.
    public mutating func catchUp(_ context: StoreContext) -> StoreEffects {
        var effects = StoreEffects()
        guard !context.isHeld else { return effects }
        if let rate = state.decide(rateOf: settings, at: context.now) { apply(rate, &effects) }
        let now = state.now(at: context.now)
        for _ in 1...Self.eventsAtOnce {
            guard let at = state.nextDue?.at, at <= now,
                let event = sales.decideNextDue(by: now, as: freshOrder(context))
            else { break }
            apply(event, &effects)
        }
        return effects
    }

    /// Answers a call: with a failure if the settings say so, otherwise with the decision of `decide`.
    ///
    /// `decide` receives the store as an argument and returns before the state changes. A reference to
    /// the state that is alive during the change would copy its tables.
    mutating func answer<Answer: Sendable>(
        _ call: SimulatedCall? = nil, _ context: StoreContext,
        _ decide: (EmbeddedStore) throws(StoreFailure) -> (Answer, SandboxEvent?)
    ) -> StoreStep<Answer, StoreFailure> {
        var effects = catchUp(context)
        let settings = settings
        let answer: Result<Answer, StoreFailure>
        do throws(StoreFailure) {
            if let failure = settings.failure(of: call) { throw failure }
            let (value, event) = try decide(self)
            if let event { apply(event, &effects) }
            answer = .success(value)
        } catch {
            answer = .failure(error)
        }
        return StoreStep(
            answer: answer, effects: effects, latency: .milliseconds(settings.latencyMs))
    }

    /// Applies an event that was decided on the current state.
    mutating func apply(_ event: SandboxEvent, _ effects: inout StoreEffects) {
        effects.changes.formUnion(event.changes(in: state))
        effects.events.append(event)
        state.apply(event)
        switch event {
        case .settingsChanged, .settingsReset: catalogues = [:]
        case .orderPlaced, .orderPaid, .orderRefused, .alreadyOwned, .orderCompleted,
            .orderRefunded, .ordersDeleted, .subscriptionChanged, .orderTurnedDown, .clockSet:
            break
        }
    }

    /// Returns an identifier for a new order.
    func freshOrder(_ context: StoreContext) -> OrderID {
        while true {
            let id = OrderID(context.makeID())
            if !state.isUsed(id) { return id }
        }
    }

    /// The products that are sold in a country. The store keeps the catalogue for later calls.
    mutating func texts(of country: CountryCode) -> Catalogue {
        if let known = catalogues[country] { return known }
        let catalogue = catalogue.catalogue(of: country, locale: sales.locale)
        catalogues[country] = catalogue
        return catalogue
    }
}

extension StoreTestSettings {
    /// The failure that is simulated for a call; nil if the call is answered.
    fileprivate func failure(of call: SimulatedCall?) -> StoreFailure? {
        if storeDown { return StoreFailure(.connectionError, "the sandbox is set to be down") }
        return call.flatMap { simulatedErrors[$0] }.map {
            StoreFailure($0, "the sandbox is set to fail this call")
        }
    }
}
