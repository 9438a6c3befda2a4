import Foundation
import PaymentTesting
import Testing

/// The command-line client as people and scripts meet it.
@Suite("payqueuectl", .ownThreads)
struct ControlToolTests {
    private static func run(
        _ daemon: Daemon, _ arguments: String..., seconds: Double = 60
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [Built.control] + arguments, in: daemon.place,
            environment: ["PAYQUEUED_SOCKET": daemon.socket], seconds: seconds)
    }

    @Test("ping answers pong and 0, and 2 with a sentence where nobody listens")
    func ping() throws {
        try Daemon.run { daemon in
            let shown = try Self.run(daemon, "ping")
            #expect(shown.ending == .exit(0))
            #expect(shown.output.hasPrefix("pong from \(daemon.socket)"))
            let nobody = try Self.run(daemon, "ping", "--socket", daemon.place("nothing"))
            #expect(nobody.ending == .exit(2))
            #expect(nobody.errors.contains("cannot connect to '\(daemon.place("nothing"))'"))
            #expect(nobody.errors.contains("Next: "))
        }
    }

    @Test("The socket may stand before the command, in every way of writing it")
    func leadingSocket() throws {
        try Daemon.run { daemon in
            for words in [
                ["--socket", daemon.socket, "ping"], ["--socket=\(daemon.socket)", "ping"],
                ["-s", daemon.socket, "call", "ping"],
                ["--socket", daemon.socket, "history", "verify"],
            ] {
                let shown = try Child.run([Built.control] + words, in: daemon.place)
                #expect(shown.ending == .exit(0), "\(words): \(shown.errors)")
            }
        }
    }

    @Test("call prints the result as one line of JSON on a pipe")
    func call() throws {
        try Daemon.run { daemon in
            let shown = try Self.run(daemon, "call", "add", "product=coins.100", "key=7781")
            #expect(shown.ending == .exit(0))
            #expect(shown.output.count { $0 == "\n" } == 1)
            let result = try JSON(shown.output)
            #expect(result["duplicate"]?.bool == false)
            let again = try Self.run(
                daemon, "call", "add", "--params", #"{"product":"coins.100","key":"7781"}"#)
            #expect(try JSON(again.output)["duplicate"]?.bool == true)
            let object = try Self.run(
                daemon, "call", "add", #"{"product":"coins.100","key":"7781"}"#)
            #expect(try JSON(object.output)["duplicate"]?.bool == true, "\(object.errors)")
            let listed = try Self.run(
                daemon, "call", "transactions", "limit=1", #"states=["purchasing"]"#)
            #expect(try JSON(listed.output)["transactions"]?.array?.count == 1)
        }
    }

    @Test("call --raw prints the reply itself, and --graceful makes its kind of error exit 0")
    func rawAndGraceful() throws {
        try Daemon.run { daemon in
            let pong = try Self.run(daemon, "call", "ping", "--raw")
            #expect(pong.ending == .exit(0), "\(pong.errors)")
            #expect(pong.output.hasPrefix(#"{"jsonrpc":"2.0","id":"#))
            #expect(try JSON(pong.output)["result"] != nil)
            let refused = try Self.run(daemon, "call", "add", "product=nope", "--raw")
            #expect(refused.ending == .exit(1))
            #expect(try JSON(refused.output)["error"]?["code"]?.int == 1101)
            #expect(refused.errors.contains("code 1101 of 'add'"))
            let expected = try Self.run(
                daemon, "call", "add", "product=nope", "--graceful=keyReuse",
                "--graceful=unknownProduct")
            #expect(expected.ending == .exit(0))
            #expect(expected.output.isEmpty)
            #expect(expected.errors.contains("code 1101 of 'add'"))
            let other = try Self.run(
                daemon, "call", "add", "product=nope", "--graceful", "keyReuse")
            #expect(other.ending == .exit(1))
        }
    }

    @Test("An error of the daemon is a sentence with its code and what to do, and exit 1")
    func refused() throws {
        try Daemon.run { daemon in
            let unknown = try Self.run(daemon, "call", "add", "product=nope")
            #expect(unknown.ending == .exit(1))
            #expect(unknown.errors.contains("1101"))
            #expect(unknown.errors.contains("Next: list what is sold"))
            let mistyped = try Self.run(daemon, "call", "subcribe")
            #expect(mistyped.ending == .exit(1))
            #expect(mistyped.errors.contains("did you mean 'subscribe'"))
        }
    }

    @Test(
        "A command line that makes no sense exits 3 and says so",
        arguments: [
            ["call"], ["call", "ping", "nonsense"], ["call", "ping", "a=1", "a=2"],
            ["call", "ping", "--params", "{"], ["call", "ping", "--raw", "--filter", "."],
            ["watch", "--after", "then"], ["frobnicate"],
            ["buy"], ["stauts"], ["add", "product=coins.100"], ["decide", "t1", "maybe"],
        ])
    func usage(arguments: [String]) throws {
        let refused = try Child.run([Built.control] + arguments, in: try Workplace())
        #expect(refused.ending == .exit(3))
        #expect(refused.errors.hasPrefix("payqueuectl: "))
        #expect(refused.output.isEmpty)
    }

    @Test(
        "Help begins with an example and fits a screen",
        arguments: [
            [], ["buy"], ["watch"], ["call"], ["status"], ["ping"], ["demo"], ["restore"],
            ["finish"], ["list"], ["wait"], ["login"], ["logout"], ["storefront"], ["products"],
            ["questions"], ["answer"], ["top"], ["doctor"], ["journal"], ["journal", "verify"],
            ["journal", "dump"], ["backup"], ["restore-backup"], ["drain"], ["reload"], ["test"],
            ["decide"],
        ])
    func help(command: [String]) throws {
        let shown = try Child.run([Built.control] + command + ["--help"], in: try Workplace())
        #expect(shown.ending == .exit(0))
        let lines = shown.output.split(separator: "\n", omittingEmptySubsequences: false)
        let example = (["USAGE: payqueuectl"] + command).joined(separator: " ")
        #expect(lines.first?.hasPrefix(example) == true)
        #expect(lines.count <= 40)
    }

    @Test("status says in words why nothing moves")
    func status() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let shown = try Self.run(daemon, "status")
            #expect(shown.ending == .exit(0))
            #expect(shown.output.contains("1 unfinished"))
            #expect(shown.output.contains("1 waiting for an observer"))
            #expect(!shown.output.contains("\u{1B}"))
            let json = try Self.run(daemon, "status", "--json")
            #expect(try JSON(json.output)["queue"]?["unfinished"]?.int == 1)
        }
    }

    @Test("status says once, and in other words, why payments are not allowed")
    func paymentsNotAllowed() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("test.set", #"{"paymentsAllowed":false}"#)
            let shown = try Self.run(daemon, "status")
            #expect(shown.output.contains("not allowed: the account is not allowed to pay\n"))
        }
    }

    @Test("buy follows a purchase to purchased, and with --finish to its removal")
    func buy() throws {
        try Daemon.run { daemon in
            let paid = try Self.run(daemon, "buy", "coins.100", "--key", "k")
            #expect(paid.ending == .exit(0), "\(paid.errors)")
            #expect(paid.output.contains("purchased"))
            #expect(paid.output.contains("payqueuectl finish "))
            let finished = try Self.run(daemon, "buy", "coins.100", "--key", "k", "--finish")
            #expect(finished.ending == .exit(0), "\(finished.errors)")
            #expect(finished.output.contains("finished"))
            let later = try Self.run(daemon, "buy", "coins.100", "--key", "k", "--finish")
            #expect(later.ending == .exit(0), "\(later.errors)")
            let orders = try daemon.connect().call("test.orders")["orders"]?.array
            #expect(orders?.count == 1)
        }
    }

    @Test("buy says that a product is owned already, and that a purchase was refunded")
    func ownership() throws {
        try Daemon.run { daemon in
            for again in [false, true] {
                let bought = try Self.run(daemon, "buy", "remove-ads", "--finish")
                #expect(bought.ending == .exit(0), "\(bought.errors)")
                #expect(bought.output.contains("already owned, nothing charged") == again)
                #expect(bought.output.contains("it left the queue"))
            }
            let line = try daemon.connect()
            #expect(try line.everyOrder().count == 1)
            try line.buyAndRefund("coins.100", key: "k")
            let listed = try Self.run(daemon, "list")
            #expect(listed.output.contains(": do not unlock; finish it"), "\(listed.output)")
            let refunded = try Self.run(daemon, "buy", "coins.100", "--key", "k")
            #expect(refunded.ending == .exit(1))
            #expect(refunded.errors.contains("cannot buy 'coins.100': it was refunded 20"))
            #expect(refunded.errors.contains("but finish it: 'payqueuectl finish "))
            let finished = try Self.run(daemon, "buy", "coins.100", "--key", "k", "--finish")
            #expect(finished.ending == .exit(1))
            #expect(finished.output.contains("removed from the queue"), "\(finished.output)")
            let orders = try Self.run(daemon, "test", "orders")
            #expect(orders.output.contains("refunded 20"), "\(orders.output)")
        }
    }

    @Test("buy --finish exits 0 for what is paid and finished, though the store cannot be told yet")
    func storeCannotBeTold() throws {
        try Daemon.run { daemon in
            let fault = #"{"simulatedErrors":{"completion":"serviceUnavailable"}}"#
            try daemon.connect().call("test.set", fault)
            let bought = try Self.run(
                daemon, "buy", "coins.100", "--key", "k", "--finish", "--timeout", "5")
            #expect(bought.ending == .exit(0), "\(bought.errors)")
            #expect(bought.output.contains("the daemon reports it to the store as soon as it can"))
            let again = try Self.run(daemon, "buy", "coins.100", "--key", "k")
            #expect(again.ending == .exit(0), "\(again.errors)")
            #expect(again.output.contains("delivered; being reported to the store"))
            #expect(!again.output.contains("deliver the goods, then"))
        }
    }

    @Test("buy exits 1 with the reason when the store declines")
    func declined() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("test.set", #"{"failTransactionsEnabled":true}"#)
            let failed = try Self.run(daemon, "buy", "coins.100")
            #expect(failed.ending == .exit(1))
            #expect(failed.errors.contains("declined"))
        }
    }

    @Test("buy exits 4 and says what it waits for when the time runs out")
    func stillWaiting() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("logout")
            let waiting = try Self.run(daemon, "buy", "coins.100", "--timeout", "0.5")
            #expect(waiting.ending == .exit(4))
            #expect(waiting.errors.contains("waiting for a login"))
            #expect(waiting.errors.contains("payqueuectl login NAME"))
        }
    }

    @Test("buy says that the store is away and when it is tried again, not that the store has it")
    func storeAway() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("test.set", #"{"storeDown":true}"#)
            let waiting = try Self.run(daemon, "buy", "coins.100", "--timeout", "1")
            #expect(waiting.ending == .exit(4))
            #expect(waiting.errors.contains("the store is unavailable: "), "\(waiting.errors)")
            #expect(waiting.errors.contains("next try at "))
            #expect(!waiting.errors.contains("the store has it"))
        }
    }

    @Test("buy sends no other product to the store than the one bought")
    func buyOnlyThis() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("add", #"{"product":"remove-ads"}"#)
            #expect(try Self.run(daemon, "buy", "coins.100").ending == .exit(0))
            let orders = try line.call("test.orders")["orders"]?.array ?? []
            #expect(orders.map { $0["product"]?.string } == ["coins.100"])
        }
    }

    @Test("watch shows what happens line by line, and --json the very lines that came")
    func watch() throws {
        try Daemon.run { daemon in
            let settings = ["PAYQUEUED_SOCKET": daemon.socket]
            let people = try Child(
                [Built.control, "watch", "--after", "start"], in: daemon.place, name: "people",
                environment: settings)
            let program = try Child(
                [Built.control, "watch", "--after", "start", "--json"], in: daemon.place,
                name: "program", environment: settings)
            #expect(try Self.run(daemon, "buy", "coins.100", "--finish").ending == .exit(0))
            let isWhole = eventually(within: 60) {
                people.standardOutput.contains("removed: finished")
                    && program.standardOutput.contains("transactionsRemoved") ? true : nil
            }
            #expect(isWhole == true, "\(people.standardOutput)")
            #expect(people.standardOutput.contains("purchased"))
            #expect(!people.standardOutput.contains("\u{1B}"))
            for line in program.standardOutput.split(separator: "\n") {
                #expect(try JSON(line)["jsonrpc"]?.string == "2.0")
            }
        }
    }

    @Test("An observer is listed by the name of the tool")
    func clientName() throws {
        try Daemon.run { daemon in
            let watcher = try Child(
                [Built.control, "watch"], in: daemon.place, name: "watch",
                environment: ["PAYQUEUED_SOCKET": daemon.socket])
            _ = eventually(within: 60) { watcher.standardOutput.contains("caught up") ? true : nil }
            let names = try Self.run(daemon, "observers", "--filter", ".observers[].client")
            #expect(names.output == "payqueuectl\n")
        }
    }

    @Test("watch is passive unless told otherwise")
    func watchIsPassive() throws {
        try Daemon.run { daemon in
            let watcher = try Child(
                [Built.control, "watch"], in: daemon.place, name: "watch",
                environment: ["PAYQUEUED_SOCKET": daemon.socket])
            _ = eventually(within: 60) { watcher.standardOutput.contains("caught up") ? true : nil }
            let line = try daemon.connect()
            let added = try line.call("add", #"{"product":"coins.100"}"#)
            #expect(added["waitingFor"]?.string == "observer")
            let other = try Child(
                [Built.control, "watch", "--observe"], in: daemon.place, name: "observe",
                environment: ["PAYQUEUED_SOCKET": daemon.socket])
            let isPaid = eventually(within: 60) {
                other.standardOutput.contains("purchased") ? true : nil
            }
            #expect(isPaid == true, "\(other.standardOutput)")
        }
    }

    @Test("watch exits 5 for a cursor that is no cursor of this log, and 2 when the daemon goes")
    func watchEnds() throws {
        let daemon = try Daemon()
        try daemon.start()
        let ahead = try Self.run(daemon, "watch", "--after", "999999")
        #expect(ahead.ending == .exit(5))
        let watcher = try Child(
            [Built.control, "watch"], in: daemon.place, name: "watch",
            environment: ["PAYQUEUED_SOCKET": daemon.socket])
        _ = eventually(within: 60) { watcher.standardOutput.contains("caught up") ? true : nil }
        try daemon.stop()
        #expect(try watcher.wait() == .exit(2))
        #expect(watcher.standardError.contains("watch --after"))
    }

    @Test(
        "What cannot be written ends a command with a sentence and 1",
        arguments: [["list"], ["call", "rpc.discover"], ["ping"], ["--help"]])
    func fullOutput(words: [String]) throws {
        try Daemon.run { daemon in
            let ended = try Self.runIntoFullDisk(daemon, words)
            #expect(ended.ending == .exit(1), "\(words)")
            #expect(ended.errors.contains("cannot write to standard output: no space left"))
            #expect(ended.errors.contains("Next: "))
        }
    }

    @Test("A record that could not be shown leaves the cursor where it was")
    func fullOutputKeepsCursor() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let cursor = daemon.place("cursor")
            let ended = try Self.runIntoFullDisk(daemon, ["watch", "--cursor", cursor])
            #expect(ended.ending == .exit(1), "\(ended.errors)")
            #expect(!FileManager.default.fileExists(atPath: cursor))
        }
    }

    /// Runs the tool with a standard output that takes nothing.
    private static func runIntoFullDisk(
        _ daemon: Daemon, _ words: [String]
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            ["sh", "-c", #"exec "$0" "$@" > /dev/full"#, Built.control] + words,
            in: daemon.place, environment: ["PAYQUEUED_SOCKET": daemon.socket])
    }
}
