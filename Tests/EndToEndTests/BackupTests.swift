import Foundation
import PaymentTesting
import Testing

/// A copy of the state, made while the daemon works.
@Suite("Backups", .ownThreads)
struct BackupTests {
    @Test("A backup of a daemon at work becomes a store that knows every payment and every order")
    func roundTrip() throws {
        let daemon = try Daemon()
        try daemon.start()
        let line = try daemon.connect()
        try line.call("subscribe")
        for number in 1...20 {
            let added = try line.call("add", #"{"product":"coins.100","key":"k\#(number)"}"#)
            let id = try #require(added["transaction"]?.string)
            _ = try line.notifications(within: 60) { $0.shows(id, "purchased") }
        }
        let admin = try daemon.connect()
        let receipt = try admin.call("backup")
        let path = try #require(receipt["path"]?.string)
        #expect((receipt["bytes"]?.int ?? 0) > 0)
        let head = try admin.call("hello")["head"]?.int ?? 0
        #expect((receipt["seq"]?.int ?? .max) <= head)
        // What comes after it is not in it.
        let late = try admin.call("add", #"{"product":"coins.100","key":"late"}"#)
        #expect(late["duplicate"]?.bool == false)
        let epoch = try admin.call("hello")["epoch"]?.string
        try daemon.stop()

        let verified = try Self.run(daemon, "journal", "verify", "--state-directory", path)
        #expect(verified.ending == .exit(0), "\(verified.errors)")
        // A store that no start accepts any more is what a backup replaces.
        try FileManager.default.removeItem(atPath: "\(daemon.state)/lock")
        let restored = try Self.run(
            daemon, "restore-backup", path, "--state-directory", daemon.state, "--replace")
        #expect(restored.ending == .exit(0), "\(restored.errors)")
        try daemon.start()
        let again = try daemon.connect()
        #expect(try again.call("hello")["epoch"]?.string != epoch)
        for number in 1...20 {
            let known = try again.call("add", #"{"product":"coins.100","key":"k\#(number)"}"#)
            #expect(known["duplicate"]?.bool == true)
            #expect(known["state"]?.string == "purchased")
        }
        #expect(try again.call("test.orders")["orders"]?.array?.count == 20)
        try daemon.stop()
    }

    @Test("Calls during a backup share one backup, which begins when the first ends")
    func together() throws {
        let daemon = try Daemon()
        try daemon.start()
        let line = try daemon.connect()
        let calls = (1...4).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"backup"}"# }
        line.type(calls.joined(separator: "\n"))
        var paths: [Int: String] = [:]
        for _ in 1...4 {
            let answer = try line.next()
            let id = try #require(answer["id"]?.int)
            paths[id] = try #require(answer["result"]?["path"]?.string, "\(answer)")
        }
        #expect(paths.count == 4 && Set(paths.values).count == 2)
        #expect(paths[2] == paths[3] && paths[3] == paths[4])
        for path in Set(paths.values) {
            let verified = try Self.run(daemon, "journal", "verify", "--state-directory", path)
            #expect(verified.ending == .exit(0), "\(verified.errors)")
        }
        try daemon.stop()
    }

    private static func run(
        _ daemon: Daemon, _ words: String...
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run([Built.control] + words, in: daemon.place, seconds: 60)
    }
}
