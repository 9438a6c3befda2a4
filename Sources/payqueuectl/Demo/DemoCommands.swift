/// The suggested commands after the demonstration.
struct DemoCommands {
    /// The program of the daemon, as given by the user.
    let daemon: String

    private static let socket = "/tmp/pq.sock"

    /// The commands with their introductions.
    var lines: [String] {
        let tool = OwnProgram.path
        let place = "--socket \(Self.socket)"
        return [
            "Nothing is left running. To do it yourself, type:",
            "",
            "  \(Shell.quoted(daemon)) --demo \(place) &",
            "  \(tool) ping --wait \(place)",
            "  \(tool) watch \(place) &",
            "  \(tool) buy coins.100 --finish \(place)",
            "  kill %2 %1",
        ]
    }
}
