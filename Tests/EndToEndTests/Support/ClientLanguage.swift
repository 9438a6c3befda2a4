import Foundation
import Testing

/// A client library of the checkout and how its examples are run.
enum ClientLanguage: String, CaseIterable, CustomTestStringConvertible {
    case python
    case node
    case shell
    case swift
    case go
    case rust
    /// The Python library without asyncio.
    case pythonSync

    /// One case for each library.
    static let libraries: [ClientLanguage] = [.python, .node, .shell, .swift, .go, .rust]

    /// The ones that `PAYQUEUED_WORKERS` names; all if it names none.
    static var named: [ClientLanguage] {
        let names = ProcessInfo.processInfo.environment["PAYQUEUED_WORKERS"] ?? ""
        let found = names.split(separator: " ").compactMap { ClientLanguage(rawValue: String($0)) }
        return found.isEmpty ? allCases : found
    }

    var testDescription: String { rawValue }

    /// The library's folder.
    var folder: String {
        switch self {
        case .pythonSync: Self.python.folder
        case .rust: ClientBuild.rustFolder
        case .python, .node, .shell, .swift, .go:
            Built.root.appending(path: "clients/\(rawValue)").path
        }
    }

    /// What must be installed.
    var tools: [String] {
        switch self {
        case .python: ["python3"]
        case .node: ["node"]
        case .shell: ["bash", "socat", "jq"]
        case .swift: []
        case .go: ["go"]
        case .rust: ["cargo", "flock"]
        case .pythonSync: ["python3"]
        }
    }

    /// The first tool that is missing, or else the crates that the library is compiled with.
    var missing: String? {
        if let tool = tools.first(where: { !Built.has($0) }) { return tool }
        return self == .rust && !ClientBuild.hasSerde ? "Debian's librust-serde-json-dev" : nil
    }

    /// Compiles the library's examples where they have to be.
    func build() throws {
        switch self {
        case .go: try ClientBuild.go.get()
        case .rust: try ClientBuild.rust.get()
        case .python, .node, .shell, .swift, .pythonSync: break
        }
    }

    /// Variables that the library's own tools need.
    var variables: [String: String] {
        switch self {
        case .go: ClientBuild.goVariables
        case .rust: ClientBuild.rustVariables
        case .python, .node, .shell, .swift, .pythonSync: [:]
        }
    }

    /// The example that buys once safely.
    var buy: String { self == .python ? "purchase" : "buy" }

    /// The library's own tests; they need no daemon but the shell's.
    var ownTests: [String] {
        switch self {
        case .python, .pythonSync: ["python3", "-W", "error", "-m", "unittest"]
        case .node: ["node", "--test"]
        case .shell: ["tests/test.sh"]
        // Those are a test target of the package.
        case .swift: ["true"]
        case .go: ["go", "test", "./..."]
        case .rust: ["cargo", "test", "--offline", "--quiet"]
        }
    }

    /// How an example is started.
    func example(_ name: String, _ arguments: [String] = []) -> [String] {
        let words: [String] =
            switch self {
            case .python: ["python3", "examples/\(name).py"]
            case .node: ["node", "examples/\(name).js"]
            case .shell: ["bash", "examples/\(name).sh"]
            case .swift: [Built.examples, name]
            case .go: ["\(ClientBuild.goPrograms)/\(name)"]
            case .rust: ["\(ClientBuild.rustFolder)/target/debug/examples/\(name)"]
            case .pythonSync: ["python3", "examples/\(name)_sync.py"]
            }
        return within(words + arguments)
    }

    /// The command, run in the library's folder.
    func within(_ command: [String]) -> [String] {
        ["sh", "-c", #"cd "$0" && exec "$@""#, folder] + command
    }
}

/// An application written with a client library, beside a daemon of its own.
struct ClientProgram {
    let language: ClientLanguage
    let daemon: Daemon
    /// Whether the application keeps its files where it does if it is told of no other place.
    var keepsInState = false

    /// Runs a body with an application in a language and a daemon of its own, if what the language
    /// needs is installed.
    static func run(
        _ language: ClientLanguage, _ name: String = #function,
        _ body: (ClientProgram) throws -> Void
    ) throws {
        if let missing = language.missing {
            return Skip.because("\(missing) is not installed", "\(name) in \(language)")
        }
        try language.build()
        try Daemon.run { daemon in
            try body(ClientProgram(language: language, daemon: daemon))
        }
    }

    private var environment: [String: String] {
        [
            "PAYQUEUED_SOCKET": daemon.socket, "PYTHONPATH": language.folder,
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1",
            "GOODS": keepsInState ? "" : daemon.place("goods"),
            "KEYS": keepsInState ? "" : daemon.place("keys"),
            "XDG_STATE_HOME": daemon.place("state-home"),
        ].merging(language.variables) { $1 }
    }

    /// What the application has unlocked, as it wrote it down.
    var goods: String { text(of: daemon.place("goods")) }

    /// Runs an example to its end.
    func run(
        _ name: String, _ arguments: String...
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try command(language.example(name, arguments), seconds: 60)
    }

    /// Runs a command in the library's folder to its end.
    func run(
        _ words: [String]
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        // All tests of a library, or a look at all of its types.
        try command(language.within(words), seconds: 600)
    }

    /// Starts an example and waits until it says that it is ready.
    func start(_ name: String, _ arguments: String...) throws -> Child {
        try start(name, arguments)
    }

    /// Starts an example and waits until it says that it is ready.
    func start(_ name: String, _ arguments: [String]) throws -> Child {
        let child = try begin(name, arguments)
        try Self.expect("ready", from: child)
        return child
    }

    /// Starts an example.
    func begin(_ name: String, _ arguments: [String]) throws -> Child {
        try Child(
            language.example(name, arguments), in: daemon.place, name: "example-\(name)",
            environment: environment)
    }

    /// Waits until a program has said something.
    static func expect(_ words: String, from child: Child) throws {
        guard try child.hasPrinted(words, within: 60) else {
            throw Trouble("it never said '\(words)', only: \(child.standardOutput)")
        }
    }

    private func command(
        _ words: [String], seconds: Double
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(words, in: daemon.place, environment: environment, seconds: seconds)
    }
}
