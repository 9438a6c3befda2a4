public import PaymentCore
public import SandboxControl

/// The controls of tests. Latency, outages and simulated failures do not apply to them.
extension EmbeddedStore {
    /// Changes the given settings. Existing orders keep their states.
    ///
    /// - Returns: All settings after the change. The call fails with `internalError` for an invalid
    ///   value.
    public mutating func applyTestSettings(
        _ change: StoreTestSettingsChange, _ context: StoreContext
    ) -> StoreStep<StoreTestSettings, StoreFailure> {
        do throws(SettingsRefusal) {
            try change.validate()
        } catch {
            let failure = StoreFailure(.internalError, error.description)
            return StoreStep(answer: .failure(failure), effects: StoreEffects())
        }
        if context.isHeld { return StoreStep(answer: .failure(.noRoom), effects: StoreEffects()) }
        var effects = catchUp(context)
        if change != StoreTestSettingsChange() {
            let after = sales.settings(after: change)
            if let rate = state.decide(rateOf: after, at: context.now) { apply(rate, &effects) }
            apply(.settingsChanged(change), &effects)
        }
        return StoreStep(answer: .success(settings), effects: effects)
    }

    /// Runs a control for an account.
    ///
    /// - Returns: The order that was created or changed, a deleted order as it was before; nil if there
    ///   is none. The call fails with the reason why the control has no effect.
    public mutating func run(
        _ control: TestControl, account: AccountName?, _ context: StoreContext
    ) -> StoreStep<StoreOrder?, TestFailure> {
        var effects = catchUp(context)
        do throws(TestFailure) {
            if context.isHeld { throw .store(.noRoom) }
            let decision = try controls.decide(
                control, account: account, as: freshOrder(context), at: context.now)
            let before = decision.order.flatMap { state.order($0)?.order }
            for event in decision.events { apply(event, &effects) }
            let after = decision.order.flatMap { state.order($0)?.order }
            return StoreStep(answer: .success(after ?? before), effects: effects)
        } catch {
            return StoreStep(answer: .failure(error), effects: effects)
        }
    }

    /// Advances the clock to the next due event, but not beyond `limit`, and applies the event.
    public mutating func advanceClock(
        to limit: Timestamp, _ context: StoreContext
    ) -> StoreStep<TestClock, TestFailure> {
        var effects = StoreEffects()
        if context.isHeld { return StoreStep(answer: .failure(.store(.noRoom)), effects: effects) }
        let events = sales.decideAdvance(to: limit, as: freshOrder(context), at: context.now)
        for event in events { apply(event, &effects) }
        return StoreStep(
            answer: .success(state.testClock(at: context.now)), effects: effects)
    }

    /// The rules of controls in the current state.
    var controls: ControlRules { ControlRules(state: state, store: catalogue) }
}

extension StoreFailure {
    /// The failure of a control that would write while the disk is full.
    fileprivate static let noRoom = StoreFailure(
        .serviceUnavailable, "no space is left on the disk for changes of the store")
}
