import Foundation
import PaymentTesting
import Testing

/// What the store signs, verified by programs that are none of ours.
@Suite("Signed history", .ownThreads)
struct SignedHistoryTests {
    @Test(
        "Libraries of others verify it, and its payload is what the schema says",
        arguments: ["RS256", "ES256"], ["pyjwt", "joserfc"])
    func libraries(algorithm: String, library: String) throws {
        guard let python = Python.with(library) else {
            return Skip.because("\(library) is not installed and cannot be", "\(algorithm)")
        }
        try Daemon.run(configure: {
            $0.environment["PAYQUEUED_HISTORY_ALGORITHM"] = algorithm
        }) { daemon in
            let line = try daemon.connect()
            try line.call("subscribe")
            for product in ["coins.100", "remove-ads"] {
                let id = try line.call("add", #"{"product":"\#(product)"}"#)["transaction"]?.string
                try line.call("wait", #"{"transaction":"\#(id ?? "")","until":["purchased"]}"#)
            }
            let keys = daemon.place("state/keys/sandbox.json")
            #expect(!FileManager.default.fileExists(atPath: keys), "a key before its first use")
            let signed = try line.call("signedHistory")
            #expect(signed["alg"]?.string == algorithm)
            var status = stat()
            #expect(stat(keys, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let control = try Child.run(
                [Built.control, "call", "keys"], in: daemon.place,
                environment: ["PAYQUEUED_SOCKET": daemon.socket])
            let input = control.output + (signed["jws"]?.string ?? "") + "\n"
            var script = [python, "examples/verify_history.py"]
            if Python.hasSchemas(python) {
                script.append(
                    Built.root.appending(path: "clients/transaction-history.schema.json").path)
            }
            let verified = try Child.run(
                ClientLanguage.python.within(script), in: daemon.place, input: input,
                environment: ["LIBRARY": library, "PYTHONDONTWRITEBYTECODE": "1"], seconds: 60)
            #expect(verified.ending == .exit(0), "\(verified.errors)")
            #expect(verified.output == "2\n")
        }
    }

    @Test("payqueuectl fetches it page by page or whole, and verifies a file of pages")
    func pages() throws {
        try Daemon.run { daemon in
            func run(_ arguments: String...) throws -> (Child.Ending, String, String) {
                let shown = try Child.run(
                    [Built.control] + arguments, in: daemon.place,
                    environment: ["PAYQUEUED_SOCKET": daemon.socket])
                return (shown.ending, shown.output, shown.errors)
            }
            let line = try daemon.connect()
            for _ in 1...3 { try line.call("test.buy", #"{"product":"coins.100"}"#) }
            #expect(try run("history").1.split(separator: "\n").count == 1)
            let first = try run("history", "--limit", "2")
            #expect(first.0 == .exit(0), "\(first.2)")
            let page = String(first.2.firstMatch(of: #/--limit 2 --page (\S+)/#)?.1 ?? "")
            let second = try run("history", "--limit", "2", "--page", page)
            #expect(second.0 == .exit(0) && second.2 == "", "\(second.2)")
            let last = try run("history", "fetch", "--page", page, "--json")
            #expect(try JSON(last.1)["jws"] != nil && JSON(last.1)["next"] == nil)
            let file = daemon.place("pages")
            try (first.1 + second.1).write(toFile: file, atomically: true, encoding: .utf8)
            let shown = try run("history", "verify", file)
            #expect(shown.0 == .exit(0), "\(shown.2)")
            #expect(shown.1.contains("Verified: 2 pages, signed with"))
            #expect(shown.1.split(separator: "\n").count { $0.contains("coins.100") } == 3)
            let gone = try run("history", "--page", "nonsense")
            #expect(gone.0 == .exit(1) && gone.2.contains("page has expired"), "\(gone.2)")
        }
    }

    @Test("payqueuectl verifies it, from the daemon and from files, and shows it")
    func control() throws {
        try Daemon.run { daemon in
            func run(_ arguments: String...) throws -> (Child.Ending, String, String) {
                let shown = try Child.run(
                    [Built.control] + arguments, in: daemon.place,
                    environment: ["PAYQUEUED_SOCKET": daemon.socket])
                return (shown.ending, shown.output, shown.errors)
            }
            let line = try daemon.connect()
            try line.call("subscribe")
            let id = try line.call("add", #"{"product":"remove-ads"}"#)["transaction"]?.string ?? ""
            try line.call("wait", #"{"transaction":"\#(id)","until":["purchased"]}"#)
            let coins = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
            try line.call("wait", #"{"transaction":"\#(coins ?? "")","until":["purchased"]}"#)
            let shown = try run("history", "verify")
            #expect(shown.0 == .exit(0), "\(shown.2)")
            #expect(
                shown.1.contains("remove-ads") && shown.1.contains("Verified: signed with RS256"))
            let jws = try line.call("signedHistory")["jws"]?.string ?? ""
            let (file, keys) = (daemon.place("jws"), daemon.place("jwks"))
            try jws.write(toFile: file, atomically: true, encoding: .utf8)
            try run("call", "keys").1.write(toFile: keys, atomically: true, encoding: .utf8)
            let json = try run("history", "verify", file, "--keys", keys, "--json")
            let order = try JSON(json.1)["transactions"]?.array?.last?["order_id"]?.string ?? ""
            #expect(try run("history", "verify", "--order", order).0 == .exit(0))
            try line.call("test.refund", #"{"transaction":"\#(id)"}"#)
            let revoked = try run("history", "verify", "--order", order)
            #expect(revoked.0 == .exit(1) && revoked.2.contains("was revoked"))
            try (String(jws.dropLast(9)) + "AAAAAAAAA").write(
                toFile: file, atomically: true, encoding: .utf8)
            let wrong = try run("history", "verify", file, "--keys", keys)
            #expect(wrong.0 == .exit(1) && wrong.2.contains("cannot verify the history"))
        }
    }
}

/// A Python that has the libraries of others.
enum Python {
    /// A Python with a library: the system's, or one of an environment that is made for it; nil if
    /// neither can be had.
    static func with(_ library: String) -> String? {
        let module = library == "pyjwt" ? "jwt" : "joserfc"
        if imports("python3", module) { return "python3" }
        return PythonTools.publisher.map { "\($0)/python" }
    }

    /// Whether it can hold JSON against a schema.
    static func hasSchemas(_ python: String) -> Bool { imports(python, "jsonschema") }

    private static func imports(_ python: String, _ module: String) -> Bool {
        guard let place = try? Workplace() else { return false }
        let tried = try? Child.run([python, "-c", "import \(module)"], in: place, seconds: 60)
        return tried?.ending == .exit(0)
    }
}
