import Foundation
import PaymentTesting
import Testing

/// The command-line client as programs use it: JSON, short ids, completion, waiting.
@Suite("payqueuectl for programs", .ownThreads)
struct ControlProgramTests {
    private static func run(
        _ daemon: Daemon, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [Built.control] + arguments, in: daemon.place,
            environment: ["PAYQUEUED_SOCKET": daemon.socket].merging(environment) { $1 })
    }

    private static func run(
        _ daemon: Daemon, _ arguments: String...
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try run(daemon, arguments)
    }

    /// Buys without finishing.
    ///
    /// - Returns: The id of the transaction.
    private static func bought(_ daemon: Daemon, _ product: String) throws -> String {
        let shown = try run(daemon, "buy", product, "--json")
        #expect(shown.ending == .exit(0), "\(shown.errors)")
        return try JSON(shown.output)["transaction"]?.string ?? ""
    }

    @Test("Every command that asks the daemon prints one JSON object, and nothing else")
    func results() throws {
        try Daemon.run { daemon in
            let id = try Self.bought(daemon, "coins.100")
            let commands = [
                ["buy", "map.berlin"], ["restore", "--finish"], ["list"], ["products"],
                ["wait", id], ["finish", id], ["login", "demo"], ["storefront"], ["questions"],
                ["observers"], ["status"], ["ping"], ["top"], ["history"], ["history", "verify"],
                ["test"], ["test", "orders"], ["reload"], ["backup"], ["drain", "on"],
                ["drain", "off"], ["call", "ping"], ["doctor"], ["logout"],
                ["journal", "verify", daemon.state],
            ]
            for words in commands {
                let shown = try Self.run(daemon, words + ["--json"])
                #expect(shown.ending == .exit(0), "\(words): \(shown.errors)")
                #expect(shown.errors.isEmpty, "\(words): \(shown.errors)")
                #expect(shown.output.count { $0 == "\n" } == 1, "\(words): \(shown.output)")
                #expect(shown.output.hasPrefix("{"), "\(words): \(shown.output)")
                #expect(throws: Never.self, "\(words)") { try JSON(shown.output) }
            }
        }
    }

    @Test("Every command says what went wrong as one JSON object on standard error")
    func errors() throws {
        let place = try Workplace()
        for words in ErrorWords.asking + [["history", "fetch"], ["stauts"], ["list", "--bogus"]] {
            let shown = try Child.run(
                [Built.control] + words + ["--json"], in: place,
                environment: ["PAYQUEUED_SOCKET": place("missing")])
            guard words != ["doctor"] else {
                #expect(try JSON(shown.output)["healthy"]?.bool == false)
                continue
            }
            #expect(shown.output.isEmpty, "\(words): \(shown.output)")
            let error = try JSON(shown.errors)
            let isUsage = words == ["stauts"] || words.last == "--bogus"
            #expect(error["kind"]?.string == (isUsage ? "usage" : "notConnected"), "\(words)")
            #expect(shown.ending == .exit(isUsage ? 3 : 2))
            #expect(error["exitStatus"]?.int == (isUsage ? 3 : 2))
            #expect(error["retry"]?.string == (isUsage ? "no" : "later"))
            #expect(error["effect"]?.string == "none")
            #expect(error["message"]?.string?.hasPrefix("cannot ") == true, "\(error)")
            #expect(error["advice"]?.string?.isEmpty == false)
        }
    }

    @Test("An error of the daemon keeps its code and kind, a purchase that failed its key and id")
    func refusals() throws {
        try Daemon.run { daemon in
            let unknown = try Self.run(daemon, "buy", "nope", "--key", "k", "--json")
            #expect(unknown.ending == .exit(1))
            let refusal = try JSON(unknown.errors)
            #expect(refusal["code"]?.int == 1101)
            #expect(refusal["kind"]?.string == "unknownProduct")
            #expect(refusal["data"]?["key"]?.string == "k")
            try daemon.connect().call("test.set", #"{"failTransactionsEnabled":true}"#)
            let failed = try Self.run(daemon, "--json", "buy", "coins.100")
            #expect(failed.ending == .exit(1))
            #expect(failed.output.isEmpty)
            let failure = try JSON(failed.errors)
            #expect(failure["kind"]?.string == "purchaseFailed")
            let id = try #require(failure["data"]?["transaction"]?.string)
            #expect(failure["data"]?["key"]?.string?.hasPrefix("ctl-") == true)
            #expect(failure["advice"]?.string?.contains("payqueuectl finish \(id)") == true)
            #expect(try Self.run(daemon, "finish", id).ending == .exit(0))
        }
    }

    @Test("The beginning of an id is enough where it names one thing, in every command")
    func shortIDs() throws {
        try Daemon.run { daemon in
            let id = try Self.bought(daemon, "coins.100")
            let short = String(id.prefix(6))
            let listed = try Self.run(daemon, "list", short, "--filter", ".transactions[].id")
            #expect(listed.output == "\(id)\n")
            let asked = try Self.run(
                daemon, "call", "transactions", #"ids:=["\#(short)"]"#, "--filter",
                ".transactions[].id")
            #expect(asked.output == "\(id)\n", "\(asked.errors)")
            #expect(try Self.run(daemon, "wait", short, "--until", "purchased").ending == .exit(0))
            let finished = try Self.run(daemon, "finish", short)
            #expect(finished.output.hasPrefix(id), "\(finished.errors)")
            // What left the queue is found as well.
            let gone = try Self.run(daemon, "wait", short, "--until", "removed")
            #expect(gone.ending == .exit(0), "\(gone.errors)")
            let order = try daemon.connect().everyOrder().first?["order"]?.string ?? ""
            let refunded = try Self.run(daemon, "test", "refund", "order=\(order.prefix(7))")
            #expect(refunded.ending == .exit(0), "\(refunded.errors)")
            let none = try Self.run(daemon, "finish", "ffffff")
            #expect(none.ending == .exit(1))
            #expect(none.errors.contains("code 1201"), "\(none.errors)")
            let few = try Self.run(daemon, "finish", String(id.prefix(5)))
            #expect(few.ending == .exit(1))
        }
    }

    @Test("finish --all finishes what fits, failed ones only by choice, and asks nobody in a pipe")
    func finishAll() throws {
        try Daemon.run { daemon in
            for product in ["coins.100", "map.berlin"] { _ = try Self.bought(daemon, product) }
            try daemon.connect().call("test.set", #"{"failTransactionsEnabled":true}"#)
            #expect(try Self.run(daemon, "buy", "season.pass").ending == .exit(1))
            let asked = try Self.run(daemon, "finish", "--all")
            #expect(asked.ending == .exit(3))
            #expect(asked.errors.contains("add '--yes' to finish 2 without a question"))
            let typo = try Self.run(daemon, "finish", "--all", "--yes", "--product", "coins.10")
            #expect(typo.ending == .exit(1))
            #expect(typo.errors.contains("the nearest is 'coins.100'"), "\(typo.errors)")
            func left() throws -> String {
                try Self.run(
                    daemon, "list", "--filter",
                    ".transactions[].payment.product.productIdentifier"
                ).output
            }
            let one = try Self.run(daemon, "finish", "--all", "--yes", "--product", "coins.100")
            #expect(one.ending == .exit(0), "\(one.errors)")
            #expect(one.errors == "1 finished.\n")
            let none = try Self.run(
                daemon, "finish", "--all", "--yes", "--product", "coins.100", "--json")
            #expect(none.output == "{\"transactions\":[]}\n", "\(none.errors)")
            #expect(try left() == "map.berlin\nseason.pass\n")
            let rest = try Self.run(daemon, "finish", "--all", "--yes", "--json")
            #expect(rest.ending == .exit(0), "\(rest.errors)")
            #expect(try JSON(rest.output)["transactions"]?.array?.count == 1)
            #expect(try left() == "season.pass\n")
            let failed = try Self.run(daemon, "finish", "--all", "--yes", "--state", "failed")
            #expect(failed.output.contains("removed from the queue"), "\(failed.errors)")
            #expect(try left().isEmpty)
            let nothing = try Self.run(daemon, "finish", "--all", "--yes")
            #expect(nothing.ending == .exit(0))
            #expect(nothing.errors == "0 finished.\n")
        }
    }

    @Test("Words that nothing has are refused with the nearest, before anything is done")
    func typingMistakes() throws {
        try Daemon.run { daemon in
            for (words, nearest, status) in [
                (["list", "--state", "purchsed"], "'purchased'", 3),
                (["wait", "t1", "--until", "remove"], "'removed'", 3),
                (["watch", "--kind", "questionOpend"], "'questionOpened'", 3),
                (["list", "--filter", ".transactins"], "'.transactions'", 3),
                (["status", "--filter", ".queue.unfinishd"], "'.queue.unfinished'", 3),
                (["watch", "--product", "coins.10"], "'coins.100'", 1),
                (["buy", "coin.100"], "'coins.100'", 1), (["test", "expir"], "'expire'", 3),
                (["products", "coins.10"], "'coins.100'", 1),
                (["help", "stauts"], "'status'", 3), (["journal", "verfy"], "'verify'", 3),
                (
                    ["call", "add", "product=coins.100", "--filter", ".transction"],
                    "'.transaction'", 3
                ),
            ] {
                let shown = try Self.run(daemon, words)
                #expect(shown.ending == .exit(Int32(status)), "\(words): \(shown.errors)")
                #expect(
                    shown.errors.contains("the nearest is \(nearest)"), "\(words): \(shown.errors)")
            }
            #expect(try Self.run(daemon, "help", "nosuch").ending == .exit(3))
            #expect(try Self.run(daemon, "list").output == "No transactions.\n")
            // A part that is not there this time is no mistake.
            let optional = try Self.run(daemon, "status", "--filter", ".sessionEnded.at")
            #expect(optional.ending == .exit(0), "\(optional.errors)")
            #expect(optional.output.isEmpty)
        }
    }

    @Test("Completion offers what the daemon has, and nothing, silently, without one")
    func completion() throws {
        guard Built.has("bash") else { return Skip.because("bash is not installed") }
        try Daemon.run { daemon in
            let id = try Self.bought(daemon, "coins.100")
            let script = try Self.run(daemon, "--generate-completion-script", "bash").output
            let file = try daemon.place.write(script, to: "completion.bash")
            for (words, expected) in [
                (["buy", "coi"], "coins.100"), (["finish", ""], id), (["wait", ""], id),
                (["list", String(id.prefix(3))], id), (["login", ""], "demo"),
                (["watch", "--product", "map"], "map.berlin"),
                (["list", "--state", "purchas"], "purchased"), (["stat"], "status"),
            ] {
                let offered = try Self.complete(words, by: file, daemon.socket, in: daemon.place)
                #expect(offered.contains(expected), "\(words): \(offered)")
            }
            let none = try Self.complete(
                ["buy", ""], by: file, daemon.place("missing"), in: daemon.place)
            #expect(none.isEmpty)
        }
    }

    /// What bash offers behind some words.
    private static func complete(
        _ words: [String], by file: String, _ socket: String, in place: Workplace
    ) throws -> [String] {
        let all = [Built.control] + words
        let line = all.joined(separator: " ")
        let quoted = all.map { "'\($0)'" }.joined(separator: " ")
        let typed = """
            source '\(file)'
            COMP_WORDS=(\(quoted)) COMP_CWORD=\(words.count) COMP_LINE='\(line)'
            COMP_POINT=${#COMP_LINE}
            _payqueuectl '\(Built.control)' '\(words.last ?? "")' '\(all[all.count - 2])'
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let shown = try Child.run(
            ["bash", "--norc", "-c", typed], in: place, environment: ["PAYQUEUED_SOCKET": socket])
        #expect(shown.errors.isEmpty, "\(shown.errors)")
        return shown.output.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("ping --wait waits for a daemon that starts later, and gives up in time")
    func pingWait() throws {
        let daemon = try Daemon()
        let early = try Child(
            [Built.control, "ping", "--wait"], in: daemon.place, name: "early",
            environment: ["PAYQUEUED_SOCKET": daemon.socket])
        #expect(early.poll() == nil)
        try daemon.start()
        #expect(try early.wait() == .exit(0), "\(early.standardError)")
        #expect(early.standardOutput.hasPrefix("pong from "))
        let json = try Self.run(daemon, "ping", "--wait", "5", "--json")
        #expect(try JSON(json.output)["milliseconds"] != nil)
        try daemon.stop()
        let late = try Self.run(daemon, "ping", "--wait", "0.2")
        #expect(late.ending == .exit(4))
        #expect(late.errors.contains("within 0.2 s"), "\(late.errors)")
    }

    @Test("buy beside a worker leaves the finishing to the worker; a failed purchase comes first")
    func advice() throws {
        try Daemon.run { daemon in
            let alone = try Self.run(daemon, "buy", "coins.100")
            #expect(alone.output.contains("deliver the goods, then: payqueuectl finish "))
            let worker = try daemon.connect()
            try worker.call("hello", #"{"client":{"name":"game"}}"#)
            try worker.call("subscribe")
            let beside = try Self.run(daemon, "buy", "map.berlin")
            #expect(beside.ending == .exit(0), "\(beside.errors)")
            #expect(beside.output.contains("'game' is connected to deliver and finish it"))
            #expect(!beside.output.contains("payqueuectl finish"))
            try worker.call("test.set", #"{"failTransactionsEnabled":true}"#)
            let failed = try Self.run(daemon, "buy", "remove-ads")
            #expect(failed.ending == .exit(1))
            let command = try #require(
                failed.errors.firstMatch(of: #/'payqueuectl (finish [0-9a-f-]{36})'/#)?.1)
            #expect(failed.errors.contains(", then buy again"))
            try worker.call("test.set", #"{"failTransactionsEnabled":false}"#)
            // The advice is true: until then the failed purchase stays in the queue.
            func failures() throws -> String {
                try Self.run(
                    daemon, "list", "--state", "failed", "--filter", ".transactions[].id"
                ).output
            }
            #expect(try failures().isEmpty == false)
            let typed = try Self.run(daemon, command.split(separator: " ").map(String.init))
            #expect(typed.ending == .exit(0), "\(typed.errors)")
            #expect(try failures().isEmpty)
            let again = try Self.run(daemon, "buy", "remove-ads")
            #expect(again.ending == .exit(0), "\(again.errors)")
        }
    }

    @Test("A user whom the socket is closed to is told the group that lets them in, and it does")
    func permission() throws {
        guard geteuid() == 0 else { return Skip.because("only root can act as another user") }
        guard let nobody = getpwnam("nobody")?.pointee, let group = getgrnam("games")?.pointee
        else { return Skip.because("there is no user 'nobody' or no group 'games'") }
        try Daemon.run(configure: {
            let file = try $0.place.write(
                #"{"socketMode":"0660","socketGroup":"games"}"#, to: "payqueued.json")
            $0.flags += ["--config", file]
        }) { daemon in
            guard chmod(daemon.place.path, 0o755) == 0 else {
                throw Trouble("cannot open \(daemon.place.path)")
            }
            // The daemon listens for an instant before it opens the socket to the group.
            let isOpen = eventually(within: 60) {
                var status = stat()
                let isOpen = stat(daemon.socket, &status) == 0 && status.st_mode & 0o777 == 0o660
                return isOpen ? true : nil
            }
            #expect(isOpen == true)
            func ask(_ groups: String) throws -> (
                ending: Child.Ending, output: String, errors: String
            ) {
                let user = ["setpriv", "--reuid=\(nobody.pw_uid)", "--regid=\(nobody.pw_gid)"]
                return try Child.run(
                    user + [groups, Built.control, "ping"], in: daemon.place,
                    environment: ["PAYQUEUED_SOCKET": daemon.socket])
            }
            let runs = try Child.run(
                ["setpriv", "--reuid=\(nobody.pw_uid)", "test", "-x", Built.control],
                in: daemon.place)
            guard runs.ending == .exit(0) else {
                return Skip.because("others cannot run the build")
            }
            let shut = try ask("--clear-groups")
            #expect(shut.ending == .exit(2))
            #expect(
                shut.errors.contains("'sudo usermod -aG games nobody', then log out and in again"),
                "\(shut.errors)")
            let member = try ask("--groups=\(group.gr_gid)")
            #expect(member.ending == .exit(0), "\(member.errors)")
            // A group that is not allowed in is not advised.
            #expect(chmod(daemon.socket, 0o600) == 0)
            let closed = try ask("--groups=\(group.gr_gid)")
            #expect(!closed.errors.contains("usermod"), "\(closed.errors)")
            #expect(closed.errors.contains("ask 'root' to open the socket"))
        }
    }
}
