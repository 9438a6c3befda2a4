public import PaymentCore

/// The controllers of the store's side, and the order in which they receive events.
public struct StoreControllers {
    /// Sends requests, and holds the store's health.
    public let access: StoreAccess
    /// Fetches the store's catalogues.
    public let catalogues: CatalogueController
    /// Opens and ends sessions.
    public let sessions: SessionController
    let orders: StoreOrders
    /// Finds purchases that the queue does not know.
    public let reconciliation: ReconciliationController
    let restores: RestoreController
    /// Asks for entitlements, signed histories and keys.
    public let listing: StoreListing

    /// The store, if it runs in the turns of the engine.
    let local: LocalStoreGateway?

    init(
        writer: QueueWriter, way: StoreWay, deadlines: Deadlines,
        timeouts: EngineTimeouts
    ) {
        let gateway: any StoreGateway
        switch way {
        case .remote(let remote):
            gateway = remote
            local = nil
        case .local(let store, let onOrder):
            let own = LocalStoreGateway(
                store, onOrder: onOrder, writer: writer, deadlines: deadlines)
            gateway = own
            local = own
        }
        access = StoreAccess(writer: writer, gateway: gateway, deadlines: deadlines)
        catalogues = CatalogueController(access)
        sessions = SessionController(access, catalogues)
        orders = StoreOrders(access, sessions)
        reconciliation = ReconciliationController(
            access, orders, every: timeouts.reconciliation)
        restores = RestoreController(access, reconciliation, patience: timeouts.restore)
        listing = StoreListing(access)
    }

    private var writer: QueueWriter { access.writer }

    /// Asks the store again for everything that was under way when the last process ended.
    func start() {
        local?.start()
        catalogues.announce()
        if let country = writer.currentCountry { catalogues.load(country) }
        orders.resume()
        if writer.queue.session != nil { reconciliation.want() }
    }

    /// Handles a change of session: another account, no account, or another country.
    func sessionDidChange() {
        if let country = writer.currentCountry { catalogues.load(country) }
        orders.resume()
        restores.dropEnded()
        reconciliation.want()
    }

    /// Handles a repeated login of the account in session: the requests that the store refused
    /// because it had ended the session are sent again at once.
    func sessionIsConfirmed() {
        orders.retryAtOnce()
        if reconciliation.hasFailed { reconciliation.want() }
    }

    /// Passes a deadline to its controller.
    func isDue(_ deadline: Deadlines.Key) {
        switch deadline {
        case .catalogue(let country): catalogues.retryIsDue(country)
        case .storeCall(let id): orders.waitEnded(id)
        case .storeClock: local?.clockIsDue()
        case .reconciliation: reconciliation.isDue()
        case .restoreAttempt: restores.attempt()
        case .restoreEnd: restores.endIsDue()
        case .idleMark, .question, .agentTurn, .heartbeat:
            preconditionFailure("\(deadline) is not a deadline of the store's side")
        }
    }

    /// Handles a change that the store reports. The store may report more changes than there are.
    public func didChange(_ change: StoreChange) {
        writer.loop.preconditionOnLoop()
        guard writer.isRunning else { return }
        let session = writer.queue.session
        switch change {
        case .orders(let account):
            guard account == session?.account else { return }
            orders.askAboutApprovals()
            reconciliation.want()
            sessions.ordersDidChange(of: account)
        case .account(let account):
            guard let session, account == nil || account == session.account else { return }
            sessions.ask(about: session.account)
        case .catalogue:
            catalogues.reload()
        case .availability(let failure):
            access.announce(failure)
            guard failure == nil else { return }
            orders.retryAtOnce()
            if session != nil { reconciliation.want() }
        }
    }
}
