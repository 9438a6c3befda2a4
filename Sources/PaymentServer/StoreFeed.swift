import PaymentCore
import PaymentEngine

/// The changes that the store reports by itself, on their way to the engine.
///
/// While a control of the store is not answered, the changes are held back, because the reply must
/// be written before any event that the call caused. Lives on the server's loop.
final class StoreFeed {
    private let engine: PaymentEngine
    private var controls = 0
    private var held: [StoreChange] = []

    init(engine: PaymentEngine) {
        self.engine = engine
    }

    /// Receives a change. If an equal change is already held back, only the later one is passed on.
    func take(_ change: StoreChange) {
        guard controls > 0 else { return engine.store.didChange(change) }
        held.removeAll { $0 == change }
        held.append(change)
    }

    /// Notes that a control is in progress at the store.
    func beginControl() {
        controls += 1
    }

    /// Notes that a control was answered, and passes on the held changes after the last one.
    func endControl() {
        precondition(controls > 0, "a store control ended without having begun")
        controls -= 1
        if controls == 0 { release() }
    }

    /// Passes on the changes that are held back, even while a control is in progress.
    func release() {
        let changes = held
        held = []
        for change in changes { engine.store.didChange(change) }
    }
}
