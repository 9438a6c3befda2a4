import NIOCore
import PaymentCore
import PaymentEngine

/// Continuing a connection in another process (see ``Handover``).
extension Connection {
    /// Has an image stored of where the connection stands, if nothing of it is under way.
    func settle() {
        guard handover.wantsImage, !isClosing, sliceEnd == nil, requests.closingLine == nil,
            requests.heldBatch == nil, output.isEmpty
        else { return }
        handover.didSettle(image(), isFinal: false)
    }

    /// Has the connection outlive the process from now on, if that is wanted here.
    ///
    /// - Returns: Whether it does.
    @discardableResult
    func enableHandover() -> Bool {
        guard handover.isPossible, handover.keepsAhead || server.isHolding, let context, !isClosing
        else { return false }
        let isEnabled = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { handover.enable(descriptor: $0) }
        settle()
        return isEnabled == true
    }

    /// Where the connection stands, with the bytes that the kernel has not taken if another process sends them.
    func image(unsent: [UInt8] = []) -> ConnectionImage {
        ConnectionImage(
            epoch: server.engine.log.epoch, caller, reader, requests, subscriptions, unsent: unsent)
    }
}
