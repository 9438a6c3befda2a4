import Foundation

/// The datagram socket of a service manager.
final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Trouble("cannot bind \(path)") }
    }

    deinit {
        close(descriptor)
    }

    /// What comes until the condition holds, that message included.
    func states(within seconds: Double, until condition: (String) -> Bool) throws -> [String] {
        var found: [String] = []
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            guard let state = next(milliseconds: 100) else { continue }
            found.append(state)
            if condition(state) { return found }
        }
        throw Trouble("the service manager heard only \(found)")
    }

    /// What has come so far.
    func received() -> [String] {
        var found: [String] = []
        while let state = next(milliseconds: 0) { found.append(state) }
        return found
    }

    private func next(milliseconds: Int32) -> String? {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65536)
        // A plain recv closes a descriptor that comes along, which is the answer to BARRIER=1.
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
