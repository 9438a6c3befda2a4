import PaymentCore
import PaymentEngine

/// The changes that the store reports by itself, on their way to the engine.
///
/// While a control of the store has not been answered its changes are held back, because a reply
/// must be written before any event that the call caused. Lives on the server's loop.
final class StoreFeed {
    private let engine: PaymentEngine
    private var controls = 0
    private var held: [StoreChange] = []

    init(engine: PaymentEngine) {
        self.engine = engine
    }

    /// Takes a change. The same one twice before it is passed on is passed on once, the later one.
    func take(_ change: StoreChange) {
        guard controls > 0 else { return engine.store.didChange(change) }
        held.removeAll { $0 == change }
        held.append(change)
    }

    /// A control is under way at the store.
    func beginControl() {
        controls += 1
    }

    /// A control was answered.
    func endControl() {
        precondition(controls > 0, "a store control ended without having begun")
        controls -= 1
        if controls == 0 { release() }
    }

    /// Passes on the changes that are held back, although a control is under way.
    func release() {
        let changes = held
        held = []
        for change in changes { engine.store.didChange(change) }
    }
}
