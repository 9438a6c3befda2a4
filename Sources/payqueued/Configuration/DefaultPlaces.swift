/// The paths of socket and state directory if none is configured: those of the service manager or of
/// the user's environment, or for a demo a temporary directory.
struct DefaultPlaces {
    /// The variable of the directory for a user's own sockets; the start creates a subdirectory in
    /// it.
    static let userRuntime = "XDG_RUNTIME_DIR"

    let environment: [String: String]
    let demo: Setting<Bool>

    /// The path of the socket. Nil means the temporary directory of a demo, or no socket.
    func socket(_ named: Setting<String?>) -> Setting<String?> {
        if named.value != nil { return named }
        if let path = managed("RUNTIME_DIRECTORY", "/payqueued.sock") { return path }
        if let path = own(Self.userRuntime, "/payqueued/payqueued.sock") { return path }
        return nameless
    }

    /// The path of the state directory. Nil means the temporary directory of a demo, or no
    /// directory.
    func state(_ named: Setting<String?>) -> Setting<String?> {
        if named.value != nil || demo.value { return named.value == nil ? nameless : named }
        return managed("STATE_DIRECTORY", "") ?? own("XDG_STATE_HOME", "/payqueued")
            ?? own("HOME", "/.local/state/payqueued") ?? nameless
    }

    private var nameless: Setting<String?> {
        Setting(value: nil, source: demo.value ? demo.source : .byDefault)
    }

    /// A path in the first directory that the service manager created.
    private func managed(_ variable: String, _ rest: String) -> Setting<String?>? {
        environment[variable]?.split(separator: ":").first.map {
            Setting(value: "\($0)\(rest)", source: .serviceManager(variable))
        }
    }

    private func own(_ variable: String, _ rest: String) -> Setting<String?>? {
        guard let directory = environment[variable], !directory.isEmpty else { return nil }
        return Setting(value: directory + rest, source: .environment(variable))
    }
}
