import Foundation

/// As much of a service manager as the daemon talks to: it listens in its place, hears its
/// notifications, keeps the descriptors that it hands over, and starts it again with all of them.
final class ServiceManager: @unchecked Sendable {
    /// Where clients connect.
    let socket: String
    let place: Workplace
    /// Flags of the daemon beside its state directory.
    var flags = ["--demo", "--log-format", "json"]
    /// Variables of the daemon beside those of the manager.
    var environment: [String: String] = [:]
    /// The process, while there is one.
    private(set) var child: Child?

    private let notifySocket: String
    private let listener: Int32
    private let notifications: Int32
    private let capacity: Int
    private var starts = 0
    // Proof: what two threads share is touched under the lock only; all else belongs to the test.
    private let lock = NSLock()
    private var heard: [String] = []
    private var stored: [(name: String, descriptor: Int32)] = []
    private var isBusy = false

    /// Creates one with room for so many descriptors; it starts nothing yet.
    init(capacity: Int = 1024) throws {
        place = try Workplace()
        socket = place("s")
        notifySocket = place("notify")
        self.capacity = capacity
        listener = try Self.bound(to: socket, SOCK_STREAM)
        listen(listener, 4096)
        notifications = try Self.bound(to: notifySocket, SOCK_DGRAM)
        let ear = fcntl(notifications, F_DUPFD_CLOEXEC, 0)
        Thread.detachNewThread { [weak self] in
            defer { close(ear) }
            while self != nil {
                var ready = pollfd(fd: ear, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 200) > 0 else { continue }
                if self?.lock.withLock({ self?.isBusy == true }) == true {
                    usleep(10_000)
                    continue
                }
                guard let message = Self.receive(ear) else { return }
                self?.take(message.text, message.descriptors)
            }
        }
    }

    deinit {
        for item in stored { close(item.descriptor) }
        close(listener)
        close(notifications)
    }

    /// Starts the daemon with everything that is kept for it, and waits until it is ready.
    func start() throws {
        let mark = lock.withLock { heard.count }
        try launch()
        guard
            eventually(within: 60, { heardSince(mark) { $0.contains("READY=1") } ? true : nil })
                != nil
        else { throw Trouble("the daemon does not get ready; it said: \(log)") }
    }

    /// Starts the daemon and does not wait.
    @discardableResult
    func launch() throws -> Child {
        starts += 1
        let kept = lock.withLock {
            stored.removeAll { item in
                guard Self.isHungUp(item.descriptor) else { return false }
                close(item.descriptor)
                return true
            }
            return stored
        }
        let names = (["control"] + kept.map(\.name)).joined(separator: ":")
        let variables = environment.merging([
            "NOTIFY_SOCKET": notifySocket, "FDSTORE": "\(capacity)",
            "LISTEN_FDS": "\(kept.count + 1)", "LISTEN_FDNAMES": names,
        ]) { first, _ in first }
        // Only a shell in the daemon's place knows its number beforehand.
        let command =
            ["/bin/sh", "-c", "exec env LISTEN_PID=$$ \"$@\"", "sh", Built.daemon] + flags
            + ["--state-directory", place("state")]
        let child = try Child(
            command, in: place, name: "daemon-\(starts)",
            passing: [listener] + kept.map(\.descriptor), environment: variables)
        self.child = child
        return child
    }

    /// Stops the daemon in order and starts it again.
    func restart() throws {
        try stop()
        try start()
    }

    /// Stops the daemon in order.
    func stop() throws {
        guard let child else { return }
        child.send(SIGTERM)
        let ending = try child.wait()
        guard ending == .exit(0) else { throw Trouble("stopped with \(ending): \(log)") }
        self.child = nil
    }

    /// Kills the daemon and starts it again.
    func killAndStart() throws {
        guard let child else { return }
        child.send(SIGKILL)
        _ = try child.wait()
        try start()
    }

    /// What the daemon wrote to standard error since its last start.
    var log: String { child?.standardError ?? "" }
    /// The names under which descriptors are kept, each once.
    var storedNames: Set<String> { lock.withLock { Set(stored.map(\.name)) } }
    /// How many descriptors are kept.
    var storedCount: Int { lock.withLock { stored.count } }
    /// All messages of the daemon.
    var messages: [String] { lock.withLock { heard } }

    /// Reads nothing, and has no room for another message, while the body runs.
    func whileBusy(_ body: () throws -> Void) rethrows {
        lock.withLock { isBusy = true }
        defer { lock.withLock { isBusy = false } }
        usleep(50_000)
        while Self.send("X_BUSY=1", to: notifySocket, Int32(MSG_DONTWAIT)) {}
        try body()
    }

    /// Waits until everything is heard that the daemon has said so far: what it does next may still be on
    /// its way.
    func hearOut() throws {
        let mark = "X_MARK=\(UInt64.random(in: 0...UInt64.max))"
        guard Self.send(mark, to: notifySocket),
            eventually(within: 60, { messages.contains(mark) ? true : nil }) != nil
        else { throw Trouble("the service manager does not hear itself") }
    }

    /// What became of the connections that were left for the process that runs: how many of them go on,
    /// how many were closed, and how many of these had something under way. Zeros if none were left.
    var resumption: (restored: Int, closed: Int, writing: Int) {
        let line = log.split(separator: "\n").first {
            $0.contains("connections of the previous process")
        }
        let told = line.flatMap { try? JSON($0) }?["metadata"]
        func number(_ name: String) -> Int { told?[name]?.int ?? 0 }
        return (number("restored"), number("closed"), number("writing"))
    }

    /// Keeps a descriptor as if the daemon had handed it over.
    func keep(_ descriptor: Int32, as name: String) {
        lock.withLock { stored.append((name, dup(descriptor))) }
    }

    private func heardSince(_ mark: Int, _ condition: (String) -> Bool) -> Bool {
        lock.withLock { heard[mark...].contains(where: condition) }
    }

    private func take(_ text: String, _ descriptors: [Int32]) {
        let lines = text.split(separator: "\n")
        let name =
            lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
        lock.withLock {
            if lines.contains("FDSTORE=1") {
                for descriptor in descriptors {
                    if stored.count < capacity {
                        stored.append((name, descriptor))
                    } else {
                        close(descriptor)
                    }
                }
            } else {
                // The barrier waits for its descriptor to be closed.
                descriptors.forEach { close($0) }
            }
            if lines.contains("FDSTOREREMOVE=1") {
                for item in stored where item.name == name { close(item.descriptor) }
                stored.removeAll { $0.name == name }
            }
            heard.append(text)
        }
    }

    private static func isHungUp(_ descriptor: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP | POLLERR) != 0
    }

    private static func receive(_ socket: Int32) -> (text: String, descriptors: [Int32])? {
        var bytes = [UInt8](repeating: 0, count: 8192)
        var control = [UInt8](repeating: 0, count: 512)
        let (count, controlCount) = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(socket, &message, Int32(MSG_CMSG_CLOEXEC))
                    return (count, message.msg_controllen)
                }
            }
        }
        guard count >= 0 else { return nil }
        let header = MemoryLayout<cmsghdr>.size
        var descriptors: [Int32] = []
        if controlCount > header {
            let length = control.withUnsafeBytes { $0.load(as: cmsghdr.self).cmsg_len }
            for offset in stride(from: header, to: Int(length), by: 4) {
                descriptors.append(
                    control.withUnsafeBytes {
                        $0.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                    })
            }
        }
        return (String(decoding: bytes[..<count], as: UTF8.self), descriptors)
    }

    private static func send(_ text: String, to path: String, _ flags: Int32 = 0) -> Bool {
        let made = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(made) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let bytes = Array(text.utf8)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    made, bytes, bytes.count, flags, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        } == bytes.count
    }

    private static func bound(to path: String, _ type: __socket_type) throws -> Int32 {
        let made = Glibc.socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Trouble("cannot bind \(path)") }
        return made
    }
}
