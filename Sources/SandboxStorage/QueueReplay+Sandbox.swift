public import PaymentCore
import PaymentSandbox

extension QueueReplay {
    /// A replay of a queue whose log has an embedded sandbox: it objects to what a start objects to.
    public static func withSandbox(limits: Limits = Limits()) -> QueueReplay {
        QueueReplay(limits: limits, store: SandboxReplay())
    }
}
