/// The help page puts the example first: it is what most people came for.
enum HelpText {
    /// Moves the paragraph that shows how to use the program to the front.
    static func leadingWithExample(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) else { return text }
        let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
        return (lines[start..<end] + [""] + lines[..<start] + lines[end...].dropFirst())
            .joined(separator: "\n")
    }
}
