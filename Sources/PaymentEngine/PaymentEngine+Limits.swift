public import PaymentCore

extension PaymentEngine {
    /// Puts other limits in force, between turns. What is there already stays, however much it is.
    public func use(_ limits: Limits) {
        loop.preconditionOnLoop()
        queue.limits = limits
        scheduleTurnEnd()
    }
}
