/// The configuration cannot be used: exit 78 and one sentence that says what, where and why.
struct ConfigurationProblem: Error, CustomStringConvertible {
    let description: String
    /// Where in the file, as a JSON Pointer; empty for the file itself, and outside of files.
    let place: String

    init(_ description: String, place: String = "") {
        self.description = description
        self.place = place
    }
}
