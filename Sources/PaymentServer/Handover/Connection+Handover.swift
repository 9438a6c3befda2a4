import NIOCore
import PaymentCore
import PaymentEngine

/// Continuing a connection in another process (see ``Handover``).
extension Connection {
    /// Stores an image of the connection, unless a request, a batch or output is in progress.
    func settle() {
        guard handover.wantsImage, !isClosing, sliceEnd == nil, requests.closingLine == nil,
            requests.heldBatch == nil, output.isEmpty
        else { return }
        handover.didSettle(image(), isFinal: false)
    }

    /// Makes the connection outlive the process from now on, if connections are kept while they are served or the
    /// server has stopped reading.
    ///
    /// - Returns: Whether the connection will outlive the process.
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

    /// The state of the connection. If another process will send the output, `unsent` has the bytes that the kernel
    /// has not taken.
    func image(unsent: [UInt8] = []) -> ConnectionImage {
        ConnectionImage(
            epoch: server.engine.log.epoch, caller, reader, requests, subscriptions, unsent: unsent)
    }
}
