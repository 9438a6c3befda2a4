import Foundation
import PaymentTesting
import Testing

/// The signed history of an account that has bought more than any reply holds.
///
/// `make long-history` runs it with another number of orders.
@Suite("Long histories", .serialized, .ownThreads)
struct LongHistoryTests {
    private static let count = Built.number("PAYQUEUED_HISTORY_ORDERS", default: 100_000)
    /// What reading page after page may cost a process in memory.
    private static let allowedGrowth = 32 << 20

    @Test("The embedded store pages 100,000 orders, each once, and memory stays flat")
    func embedded() throws {
        guard let python = Python.with("pyjwt") else {
            return Skip.because("pyjwt is not installed and cannot be")
        }
        let daemon = try Daemon()
        try daemon.start()
        try daemon.stop()
        try ManyOrders.write(Self.count, of: "demo", intoQueueAt: daemon.state)
        try daemon.start(within: 300)
        let before = try Memory(of: daemon.child)
        #expect(try Self.verified(daemon, python) == Self.count)
        let growth = try before.growth()
        print("\(Self.count) orders, embedded store: \(growth >> 10) KiB more at the peak")
        #expect(growth < Self.allowedGrowth)
        try daemon.stop()
    }

    @Test("A store server pages 100,000 orders, each once, to a daemon and to a publisher")
    func served() throws {
        guard let python = Python.with("pyjwt") else {
            return Skip.because("pyjwt is not installed and cannot be")
        }
        let place = try Workplace()
        let store = StoreServer(in: place)
        store.flags = ["--listen", "127.0.0.1:0"]
        _ = try store.startOnPort()
        try store.stop()
        let orders = try ManyOrders.write(Self.count, of: "demo", intoStoreAt: place("store"))
        let address = "http://127.0.0.1:\(try store.startOnPort())"
        let daemon = try Daemon(["--store", address], in: place)
        try daemon.start()
        try daemon.connect().call("login", #"{"account":"demo"}"#)
        let before = (daemon: try Memory(of: daemon.child), store: try Memory(of: store.child))
        #expect(try Self.verified(daemon, python) == Self.count)
        try Self.publisher(store, address, place, python, order: orders.oldest)
        let growth = (daemon: try before.daemon.growth(), store: try before.store.growth())
        print("\(Self.count) orders, at the peak more:")
        print("daemon \(growth.daemon >> 10) KiB, store \(growth.store >> 10) KiB")
        #expect(growth.daemon < Self.allowedGrowth && growth.store < Self.allowedGrowth)
        try daemon.stop()
        try store.stop()
    }

    /// How many payments a library of others has verified, each of which came once.
    private static func verified(_ daemon: Daemon, _ python: String) throws -> Int? {
        let pipe = #"{ "$0" call keys; "$0" history --timeout 120; } | "$1" "$2""#
        let script = ClientLanguage.python.folder + "/examples/verify_history.py"
        let verified = try Child.run(
            ["sh", "-c", pipe, Built.control, python, script], in: daemon.place,
            environment: [
                "PAYQUEUED_SOCKET": daemon.socket, "LIBRARY": "pyjwt",
                "PYTHONDONTWRITEBYTECODE": "1",
            ], seconds: 300)
        #expect(verified.ending == .exit(0), "\(verified.errors)")
        return Int(verified.output.trimmingCharacters(in: .newlines))
    }

    /// A publisher that is asked for the oldest order has to read every page.
    private static func publisher(
        _ store: StoreServer, _ address: String, _ place: Workplace, _ python: String,
        order: String
    ) throws {
        let merchant = try store.run("merchant", "add", "A publisher")
        let secret = place("secret")
        try (merchant["secret"]?.string ?? "").write(
            toFile: secret, atomically: true, encoding: .utf8)
        #expect(chmod(secret, 0o600) == 0)
        let answer = try Child.run(
            ClientLanguage.python.within([python, "examples/publisher.py", order, "user-0"]),
            in: place,
            environment: [
                "STORE": address, "MERCHANT": merchant["merchant"]?.string ?? "",
                "MERCHANT_KEY": merchant["kid"]?.string ?? "", "MERCHANT_SECRET_FILE": secret,
                "GRANTS": place("grants"), "LIBRARY": "pyjwt", "PYTHONDONTWRITEBYTECODE": "1",
            ], seconds: 300)
        #expect(answer.ending == .exit(0), "\(answer.errors)")
        #expect(try JSON(answer.output)["granted"]?.bool == true, "\(answer.output)")
    }
}

/// The memory of a process from a moment on.
private struct Memory {
    private let folder: String
    private let before: Int

    /// Forgets the peak so far: from now on it is counted from what the process holds now.
    init(of child: Child?) throws {
        guard let child else { throw Trouble("there is no process") }
        folder = "/proc/\(child.id)"
        try "5".write(toFile: folder + "/clear_refs", atomically: false, encoding: .utf8)
        before = try Self.peak(folder)
    }

    /// By how many bytes the peak has risen.
    func growth() throws -> Int { try Self.peak(folder) - before }

    private static func peak(_ folder: String) throws -> Int {
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        guard let peak = status.firstMatch(of: #/VmHWM:\s+(\d+) kB/#).flatMap({ Int($0.1) }) else {
            throw Trouble("\(folder) does not say its peak: \(status)")
        }
        return peak << 10
    }
}
