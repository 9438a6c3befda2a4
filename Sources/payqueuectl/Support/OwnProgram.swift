import Glibc

/// This program and its neighbours in the file system.
enum OwnProgram {
    /// What the daemon calls this program, in the list of observers and in its records.
    static let name = "payqueuectl"

    /// How a person types this program: the way it was typed.
    static var path: String {
        let typed = CommandLine.arguments.first ?? ""
        return Shell.quoted(typed.isEmpty ? "payqueuectl" : typed)
    }

    /// Whether a program of that name can be started.
    static func isInstalled(_ name: String) -> Bool {
        let path = Console.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }
}
