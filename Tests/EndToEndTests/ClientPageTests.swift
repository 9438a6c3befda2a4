import Foundation
import PaymentTesting
import Testing

/// The page of the clients: what each section says to type makes a worker that unlocks and finishes.
@Suite("The page of the clients", .ownThreads)
struct ClientPageTests {
    @Test(
        "A worker made as its section says unlocks what is bought, and ends at Ctrl-C",
        arguments: [
            ("Python", ClientLanguage.python), ("Node", .node), ("Go", .go), ("Rust", .rust),
            ("Shell", .shell),
        ])
    func section(title: String, language: ClientLanguage) throws {
        let isPython = language == .python
        let missing = language.missing ?? (language == .node && !Built.has("npm") ? "npm" : nil)
        if let missing { return Skip.because("\(missing) is not installed", "worker in \(title)") }
        guard !isPython || PythonTools.programs != nil else {
            return Skip.because("pip cannot reach PyPI here", "worker in Python")
        }
        let script = Session(text: try section(title)).script.replacing("\nsettle\n", with: "\n")
        try Daemon.run { daemon in
            let place = try Workplace()
            try place.write("cd \"$PLACE\"\n" + script, to: "do.sh")
            let worker = try Child(
                ["setsid", "bash", "-eu", place("do.sh")], in: place, name: "worker",
                environment: [
                    "PAYQUEUED": Built.root.path, "PAYQUEUED_SOCKET": daemon.socket,
                    "PLACE": place.path, "npm_config_offline": "true", "npm_config_audit": "false",
                    "PYTHONDONTWRITEBYTECODE": "1", "PIP_QUIET": "1",
                    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                ].merging(language.variables) { $1 })
            // Everything that it started is in its own process group.
            defer { kill(-worker.id, SIGKILL) }
            let line = try daemon.connect()
            try line.call("add", #"{"product":"coins.100"}"#)
            // cargo compiles the worker and its crates before the worker starts.
            if language == .rust {
                let isCompiled = try eventually(within: 600) {
                    FileManager.default.fileExists(atPath: place("target/debug/worker"))
                        ? true : nil
                }
                #expect(isCompiled == true, "\(worker.standardError)")
            }
            try ClientProgram.expect("unlocked coins.100", from: worker)
            let isFinished = try eventually(within: 60) {
                try line.call("transactions")["transactions"]?.array?.isEmpty == true ? true : nil
            }
            #expect(isFinished == true, "\(worker.standardError)")
            kill(-worker.id, SIGINT)
            let ending = try worker.wait(seconds: 60)
            let isQuiet = [.exit(0), .exit(130), .signal(SIGINT)].contains(ending)
            #expect(isQuiet, "it ended with \(ending)")
            #expect(!worker.standardError.contains("Traceback"), "\(worker.standardError)")
        }
    }

    private func section(_ title: String) throws -> String {
        let page = try String(
            contentsOf: Built.root.appending(path: "clients/README.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "\n## ")
        return try #require(parts.first { $0.hasPrefix("\(title)\n") })
    }
}
