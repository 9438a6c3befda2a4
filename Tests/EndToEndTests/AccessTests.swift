import Foundation
import PaymentTesting
import Testing

/// What configuration grants and bounds, asked of the real program.
@Suite("Limits and roles of the program", .ownThreads)
struct AccessTests {
    @Test("A full queue refuses payments, keeps no key of them, and takes them when it has room")
    func fullQueue() throws {
        try Daemon.run(
            configure: { try Self.configure($0, #"{"limits":{"unfinishedTransactions":2}}"#) }
        ) { daemon in
            let buyer = try daemon.connect()
            let first = try buyer.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
            try buyer.call("add", #"{"product":"coins.100"}"#)
            let third = #"{"product":"coins.100","key":"third"}"#
            let refused = try buyer.ask("add", third)["error"]
            #expect(refused?["code"]?.int == 1105)
            #expect(refused?["data"]?["kind"]?.string == "queueFull")
            #expect(refused?["data"]?["effect"]?.string == "none")
            try buyer.call("finish", #"{"transaction":"\#(try #require(first))"}"#)
            #expect(try buyer.call("add", third)["duplicate"]?.bool == false)
        }
    }

    @Test("As many restores may be open as the configuration says, and the refusal names the limit")
    func manyRestores() throws {
        try Daemon.run(
            configure: { try Self.configure($0, #"{"limits":{"unfinishedRestores":1}}"#) }
        ) { daemon in
            let buyer = try daemon.connect()
            let limits = try buyer.call("hello")["limits"]
            #expect(limits?["unfinishedRestores"]?.int == 1)
            try buyer.call("restore", #"{"appAccountToken":"a"}"#)
            let refused = try buyer.ask("restore", #"{"appAccountToken":"b"}"#)["error"]
            #expect(refused?["code"]?.int == -32013)
            #expect(refused?["data"]?["limit"]?.string == "unfinishedRestores")
            #expect(refused?["data"]?["number"]?.int == 1)
        }
    }

    @Test("Another user may buy but not administer, unless the configuration lets that user")
    func otherUser() throws {
        guard geteuid() == 0 else { return Skip.because("only root can act as another user") }
        let roles =
            #"{"socketMode":"0666","roles":{"users":{"61234":["observe","admin"]}}}"#
        try Daemon.run(configure: { try Self.configure($0, roles) }) { daemon in
            try Self.open(daemon.place.path, to: 0o755)
            let lines = [
                #"{"jsonrpc":"2.0","id":1,"method":"add","params":{"product":"coins.100"}}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"test.get"}"#,
            ]
            let stranger = try Self.ask(lines, as: 61233, daemon)
            try #require(stranger.count == 2)
            #expect(stranger[0]["result"]?["state"]?.string == "purchasing")
            #expect(stranger[1]["error"]?["code"]?.int == -32007)
            #expect(stranger[1]["error"]?["data"]?["kind"]?.string == "forbidden")
            let appointed = try Self.ask(lines, as: 61234, daemon)
            try #require(appointed.count == 2)
            #expect(appointed[0]["error"]?["code"]?.int == -32007)
            #expect(appointed[1]["result"]?["askToBuyEnabled"]?.bool == false)
        }
    }

    @Test("The socket for administrators is closed to other users, and served as the first one is")
    func adminSocket() throws {
        try Daemon.run(
            configure: {
                let path = $0.place("admin")
                try Self.configure($0, #"{"socketMode":"0666","adminSocket":"\#(path)"}"#)
            }
        ) { daemon in
            let path = daemon.place("admin")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let asked = try Child.run(
                [Built.control, "status", "--json", "--socket", path], in: daemon.place)
            #expect(asked.ending == .exit(0), "\(asked.errors)")
            #expect(try JSON(asked.output)["state"]?.string == "running")
            guard geteuid() == 0 else { return Skip.because("only root can act as another user") }
            try Self.open(daemon.place.path, to: 0o755)
            let stranger = try Child.run(
                [
                    "setpriv", "--reuid=61233", "--regid=61233", "--clear-groups",
                    "socat", "-", "UNIX-CONNECT:\(path)",
                ], in: daemon.place)
            #expect(stranger.ending == .exit(1))
            #expect(stranger.errors.contains("Permission denied"), "\(stranger.errors)")
        }
    }

    private static func configure(_ daemon: Daemon, _ text: String) throws {
        daemon.flags += ["--config", try daemon.place.write(text, to: "payqueued.json")]
    }

    /// What the daemon answers a user who sends some lines.
    static func ask(_ lines: [String], as user: Int, _ daemon: Daemon) throws -> [JSON] {
        let asked = try Child.run(
            [
                "setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups",
                "socat", "-t60", "-", "UNIX-CONNECT:\(daemon.socket)",
            ],
            in: daemon.place, input: lines.joined(separator: "\n") + "\n", seconds: 60)
        #expect(asked.ending == .exit(0), "\(asked.errors)")
        return try asked.output.split(separator: "\n").map { try JSON($0) }
    }

    /// Lets others into a directory.
    static func open(_ path: String, to mode: mode_t) throws {
        guard chmod(path, mode) == 0 else { throw Trouble("cannot open \(path) to others") }
    }
}
