/// The names of this program.
enum OwnProgram {
    /// The name of this program in the list of observers and in records.
    static let name = "payqueuectl"

    /// How a person types this program: the way it was typed.
    static var path: String {
        let typed = CommandLine.arguments.first ?? ""
        return Shell.quoted(typed.isEmpty ? "payqueuectl" : typed)
    }
}
