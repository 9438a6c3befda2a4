/// The names of this program.
enum OwnProgram {
    /// The name of this program in the list of observers and in records.
    static let name = "payqueuectl"

    /// The program's path as the user typed it, quoted for a shell.
    static var path: String {
        let typed = CommandLine.arguments.first ?? ""
        return Shell.quoted(typed.isEmpty ? "payqueuectl" : typed)
    }
}
