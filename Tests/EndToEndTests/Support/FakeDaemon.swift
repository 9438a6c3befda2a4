import Foundation

/// Something that listens where a daemon would, and treats every client in the same way.
final class FakeDaemon {
    /// How it treats a client.
    enum Manner: Sendable {
        /// Answers each request with this `error` object.
        case refusing(String)
        /// Says this after the first request, and nothing more.
        case saying(String)
        /// Says this after the first request, and ends the connection.
        case breakingOff(String)
        /// Ends the connection before it has read anything.
        case closing
    }

    let socket: String
    private let listener: Int32
    private let answer: Answer

    /// What to do; shared with the threads, hence the lock.
    private final class Answer: @unchecked Sendable {
        // Proof: the manner is read and written under the lock only.
        private let lock = NSLock()
        private var current = Manner.closing

        var manner: Manner {
            get { lock.withLock { current } }
            set { lock.withLock { current = newValue } }
        }
    }

    /// Listens.
    init(in place: Workplace) throws {
        socket = place("fake")
        answer = Answer()
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: socket.utf8.prefix(target.count - 1))
        }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 64) == 0 else {
            throw Trouble("cannot listen at \(socket)")
        }
        let (descriptor, shared) = (listener, answer)
        Thread { Self.accept(descriptor, shared) }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// From here on clients are treated like this.
    func behave(_ manner: Manner) {
        answer.manner = manner
    }

    private static func accept(_ listener: Int32, _ answer: Answer) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            Thread { serve(Line(descriptor: descriptor), answer) }.start()
        }
    }

    private static func serve(_ line: Line, _ answer: Answer) {
        if case .closing = answer.manner { return }
        while let request = try? line.next(within: 60) {
            switch answer.manner {
            case .refusing(let error):
                guard let id = request["id"]?.int else { continue }
                line.type(#"{"jsonrpc":"2.0","id":\#(id),"error":\#(error)}"#)
            case .saying(let text):
                line.write(Array(text.utf8))
                // Until the client goes away.
                while (try? line.next(within: 60)) != nil {}
                return
            case .breakingOff(let text):
                line.write(Array(text.utf8))
                return
            case .closing:
                return
            }
        }
    }
}
