import Foundation

/// The Go and Rust libraries with their examples, compiled once for all tests, without any network.
enum ClientBuild {
    /// Where Go's examples are.
    static let goPrograms = Built.root.appending(path: ".build/clients/go").path

    /// A copy of the Rust library: cargo writes beside what it compiles.
    static let rustFolder = Built.root.appending(path: ".build/clients/rust").path

    /// The crates that Debian's packages bring.
    private static let debianRegistry = "/usr/share/cargo/registry"

    /// Whether the crates that the Rust library needs are here.
    static let hasSerde: Bool = {
        let crates = (try? FileManager.default.contentsOfDirectory(atPath: debianRegistry)) ?? []
        return ["serde-1", "serde_json-1", "serde_derive-1"].allSatisfy { name in
            crates.contains { $0.hasPrefix(name) }
        }
    }()

    static let goVariables = [
        "GOCACHE": goPrograms + "-cache", "GOPATH": goPrograms + "-path", "GOPROXY": "off",
        "GOTOOLCHAIN": "local", "GOFLAGS": "",
    ]

    static let rustVariables = ["CARGO_HOME": rustFolder + "-home"]

    /// Compiles Go's examples.
    static let go = Result<Void, any Error> {
        try run(
            "cd clients/go && go vet ./... && go build -o '\(goPrograms)/' ./examples/...",
            goVariables)
    }

    /// Compiles Rust's examples.
    static let rust = Result<Void, any Error> {
        let script = """
            mkdir -p "$COPY/.cargo" && cd "$COPY" && rm -rf src examples tests
            cp -rp "$ROOT"/clients/rust/* . && cp -rp "$ROOT"/clients/transcripts .. && cat > .cargo/config.toml <<'END'
            [source.crates-io]
            replace-with = "debian"
            [source.debian]
            directory = "\(debianRegistry)"
            END
            cargo build --offline --quiet --examples
            """
        try run(script, rustVariables)
    }

    private static func run(_ script: String, _ variables: [String: String]) throws {
        let place = try Workplace()
        let own = ["ROOT": Built.root.path, "COPY": rustFolder]
        let ran = try Child.run(
            ["sh", "-euc", "cd \"$ROOT\"\n" + script], in: place,
            environment: variables.merging(own) { $1 }, seconds: 600)
        guard ran.ending == .exit(0), ran.errors.isEmpty else {
            throw Trouble("it does not compile: \(ran.output) \(ran.errors)")
        }
    }
}
