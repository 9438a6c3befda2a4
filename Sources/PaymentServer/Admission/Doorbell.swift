import Glibc
import NIOCore
import NIOPosix

/// Runs work after the loop has polled its sockets once more.
///
/// Before a loop polls its sockets again, it runs all submitted work, including work that is
/// submitted meanwhile. A pipe on the same loop puts the work in order with the sockets: each written
/// byte is one readable event of the next poll.
///
/// Proof: everything but ``init(on:)`` runs on the loop.
final class Doorbell: @unchecked Sendable {
    private let loop: any EventLoop
    private var waiting: [() -> Void] = []
    /// The writing end of the pipe. Nil until the loop watches the reading end, and after that end
    /// has closed.
    private var descriptor: Int32?

    /// Opens the pipe. Until the loop watches it, a timer runs the work.
    init(on loop: any EventLoop) {
        self.loop = loop
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        let (input, output) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        NIOPipeBootstrap(group: loop)
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Listener(self))
                }
            }
            .takingOwnershipOfDescriptor(input: input)
            .whenComplete { [self] result in
                switch result {
                case .success: descriptor = output
                // The channel closes the reading end.
                case .failure: close(output)
                }
            }
    }

    /// Runs work after the input of the next poll of the sockets.
    func ring(_ work: @escaping () -> Void) {
        waiting.append(work)
        guard waiting.count == 1 else { return }
        var byte: UInt8 = 0
        if let descriptor, write(descriptor, &byte, 1) == 1 { return }
        // Without the pipe, only a timer in the future makes the loop poll its sockets.
        loop.assumeIsolated().scheduleTask(in: .microseconds(100)) { self.answer() }
    }

    private func answer() {
        let due = waiting
        waiting.removeAll()
        for work in due { work() }
    }

    private func end() {
        if let descriptor { close(descriptor) }
        descriptor = nil
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let bell: Doorbell

        init(_ bell: Doorbell) {
            self.bell = bell
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // The pipe may be the first socket of this poll, so the work runs after the input of the
            // others is read.
            context.eventLoop.assumeIsolated().execute { [bell] in bell.answer() }
        }

        func channelInactive(context: ChannelHandlerContext) {
            bell.end()
        }
    }
}
