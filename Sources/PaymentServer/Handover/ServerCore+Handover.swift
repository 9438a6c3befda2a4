import Glibc
import JSONRPC
import NIOCore
import NIOPosix
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Leaving all connections to the next process, and continuing those of the one before.
extension ServerCore {
    /// Begins to continue the connections that an earlier process left.
    ///
    /// - Returns: For each connection that may continue, a future of whether it does; and a report of the others.
    func beginResuming() -> (openings: [EventLoopFuture<Bool>], report: KeptReport) {
        var report = KeptReport()
        guard let connectionStore else { return ([], report) }
        var openings: [EventLoopFuture<Bool>] = []
        for kept in connectionStore.takeLeft() {
            let content = kept.memory.content
            if let image = content.flatMap({ ConnectionImage($0) }),
                let opening = resume(kept, image, in: connectionStore)
            {
                openings.append(opening)
                continue
            }
            close(kept.descriptor)
            connectionStore.drop(name: kept.name)
            report.closed += 1
            if content == nil { report.writing += 1 }
        }
        return (openings, report)
    }

    /// Stops reading from all connections, and closes those that cannot be kept.
    func hold(graceMs: Int) {
        isHolding = true
        let line = closingLine(.shutdown, graceMs: graceMs)
        for connection in connections.values {
            if connection.enableHandover() {
                connection.setReading(false)
                if connection.requests.waitsForMemory { connection.offer() }
            } else {
                connection.finish(saying: line)
            }
        }
    }

    /// The number of connections that will not be kept.
    var unkeptCount: Int { connections.values.count { !$0.handover.isEnabled } }

    /// The number of waiting calls that the next process cannot repeat, and of batches that are half answered.
    var uniqueCallCount: Int {
        connections.values.reduce(0) { count, connection in
            let requests = connection.requests
            let isContinuing = requests.heldBatch != nil && requests.calls.isEmpty
            return count + requests.calls.count { $0.line == nil } + (isContinuing ? 1 : 0)
        }
    }

    /// Answers the calls that the next process cannot repeat.
    func interruptUniqueCalls() {
        for connection in connections.values {
            for call in connection.requests.calls where call.line == nil {
                call.cancel(Self.interruption)
            }
        }
    }

    /// Leaves all connections to the next process.
    ///
    /// - Returns: The number of connections left to it.
    func handOver() -> Int {
        connections.values.count { handOver($0) }
    }

    /// Leaves a connection to the process that comes next.
    ///
    /// - Returns: False if it cannot continue there.
    private func handOver(_ connection: Connection) -> Bool {
        guard let context = connection.context, !connection.isClosing,
            connection.requests.heldBatch == nil
        else { return false }
        connection.handover.willChange()
        let unsent = connection.output.unsent(context.channel.waitingBytes)
        guard connection.handover.didSettle(connection.image(unsent: unsent), isFinal: true) else {
            return false
        }
        // The channel closes below. Unlike an end by the peer, that must not remove the connection from the store.
        connection.handover = NoHandover.shared
        for call in connection.requests.takeCalls() { call.handOver() }
        // Before the subscriptions end, so that the owner of the queue does not take their clients as gone.
        remove(connection)
        connection.subscriptions.removeAll()
        context.close(promise: nil)
        return true
    }

    /// Continues a connection of an earlier process; nil if it cannot be continued.
    private func resume(
        _ kept: KeptConnection, _ image: ConnectionImage, in store: any ConnectionStore
    ) -> EventLoopFuture<Bool>? {
        guard let peer = PeerCredentials(descriptor: kept.descriptor),
            connections[image.number] == nil,
            image.subscriptions.allSatisfy({
                engine.subscriptions.canResume($0, epoch: image.epoch)
            })
        else { return nil }
        let connection = Connection(
            server: self,
            Caller(number: image.number, peer: peer, roles: RoleBits(access.roles(of: peer))))
        connection.handover = StoredHandover(
            store: store, name: kept.name, memory: store.keepsAhead ? kept.memory : nil)
        add(connection)
        nextConnection = max(nextConnection, image.number &+ 1)
        let bound = NIOLoopBound(connection, eventLoop: context.eventLoop)
        // Nothing is read before the state of the connection is restored.
        return ClientBootstrap(group: context.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ClientSocket.give(channel, to: bound.value)
                }
            }
            .withConnectedSocket(kept.descriptor)
            .assumeIsolated()
            .map { [self] _ in
                resume(connection, from: image)
                return true
            }
            .flatMapErrorThrowing { [self] _ in
                connection.handover.drop()
                remove(connection)
                return false
            }
            .nonisolated()
    }

    /// Restores the state that a connection had in the previous process.
    private func resume(_ connection: Connection, from image: ConnectionImage) {
        connection.requests.count = image.requests
        connection.caller.clientName = image.client
        if !image.unsent.isEmpty || !image.calls.isEmpty || !image.input.isEmpty {
            connection.handover.willChange()
        }
        connection.output.outgoing.raw(image.unsent)
        for case .interrupted(let id) in image.calls where !id.isEmpty {
            connection.output.outgoing.writeError(Self.interruption, idBytes: id.span)
            connection.output.outgoing.endLine()
        }
        connection.flush()
        for var place in image.subscriptions {
            // The roles may have changed between the two processes.
            if !connection.caller.roles.contains(.gate) { place.request.mayAnswer = false }
            // The name may have been given up after the image was stored.
            if let name = place.request.name, !engine.queue.isKnown(name, to: connection.user) {
                place.request.name = nil
            }
            connection.subscriptions.append(engine.catchUp.resume(place, target: connection))
        }
        give(connection.caller.roles.set, to: connection)
        context.forwarder?.mirrorAll(of: connection)
        connection.requests.linesToRepeat = image.linesToRepeat
        connection.reader.received(
            image.pendingInput(limitBytes: limits.requestLineBytes))
        connection.setReading(true)
        connection.offer()
    }

    /// The answer to a call that was waiting when the process ended.
    private static var interruption: ErrorObject {
        ErrorCode.internalError.object(
            kind: "restarted",
            message: "The daemon was restarted while the call was waiting; repeat the call")
    }
}
