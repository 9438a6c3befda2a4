import PaymentClient
import StrictJSON

/// Unlocks what was bought and finishes it, until Ctrl-C. Register it as early as possible: what an
/// earlier launch left over comes first.
struct Observer {
    private let goods = Goods()

    func run() async throws {
        let worker = PaymentWorker(client: PaymentQueueClient(name: "observer")) { trouble in
            complain("\(trouble)")
        }
        try await worker.run(onNotification: { show($0) }) { transaction in
            if transaction.state == .purchased || transaction.state == .restored {
                try goods.unlock(transaction)
            }
            say("handled \(describe(transaction))")
        }
    }

    private func show(_ notification: ServerNotification) {
        if notification.method == "caughtUp" { say("ready") }
    }
}
