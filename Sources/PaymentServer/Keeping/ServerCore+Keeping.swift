import Glibc
import NIOCore
import NIOPosix
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Keeping all connections over the end of the process.
extension ServerCore {
    /// Begins to go on with everybody whom an earlier process left.
    ///
    /// - Returns: One future for each of them that may go on, whether it does, and a report of the others.
    func beginResuming() -> (openings: [EventLoopFuture<Bool>], report: KeptReport) {
        var report = KeptReport()
        guard let connectionStore else { return ([], report) }
        var openings: [EventLoopFuture<Bool>] = []
        for kept in connectionStore.takeLeft() {
            let content = kept.memory.content
            if let state = content.flatMap({ KeptState($0) }), let opening = resume(kept, state) {
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

    /// Takes nothing more from anybody.
    func hold(graceMs: Int) {
        isHolding = true
        var line = JSONWriter()
        line.closing(reason: .shutdown, graceMs: graceMs, head: engine.durableHead)
        for connection in connections.values {
            if connection.beKept() {
                connection.setReading(false)
            } else {
                connection.closeInOrder(saying: line)
            }
        }
    }

    /// How many connections there are that will not be kept.
    var unkeptCount: Int { connections.values.count { !$0.isKept } }

    /// How many calls wait that could not be asked again by somebody else, and batches that are half
    /// answered.
    var uniqueCallCount: Int {
        connections.values.reduce(0) { count, connection in
            let isGoingOn = connection.heldBatch != nil && connection.calls.isEmpty
            return count + connection.calls.count { $0.line == nil } + (isGoingOn ? 1 : 0)
        }
    }

    /// Answers the calls that could not be asked again.
    func interruptUniqueCalls() {
        for connection in connections.values {
            for call in connection.calls where call.line == nil {
                call.cancel(Connection.interruption)
            }
        }
    }

    /// Lets go of all connections; they go on in the next process.
    ///
    /// - Returns: How many.
    func handOver() -> Int {
        connections.values.filter { $0.handOver() }.count
    }

    /// Takes in a connection of an earlier process; nil if it cannot go on.
    private func resume(
        _ kept: KeptConnection, _ state: KeptState
    ) -> EventLoopFuture<Bool>? {
        guard let peer = PeerCredentials(descriptor: kept.descriptor),
            connections[state.number] == nil,
            state.subscriptions.allSatisfy({
                engine.subscriptions.canResume($0, epoch: state.epoch)
            })
        else { return nil }
        let connection = Connection(server: self, number: state.number, peer: peer)
        connection.keeping = connectionStore.map {
            Keeping(store: $0, name: kept.name, memory: kept.memory)
        }
        add(connection)
        let bound = NIOLoopBound((connection: connection, state: state), eventLoop: eventLoop)
        // Nothing is read before what comes first has been put in its place.
        return PaymentServer.configure(ClientBootstrap(group: eventLoop))
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value.connection)
                }
            }
            .withConnectedSocket(kept.descriptor)
            .map { _ in
                bound.value.connection.goOn(from: bound.value.state)
                return true
            }
            .flatMapErrorThrowing { _ in
                bound.value.connection.giveUp()
                return false
            }
    }
}
