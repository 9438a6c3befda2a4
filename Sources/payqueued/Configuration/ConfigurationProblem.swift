/// An invalid configuration: exit 78 and one sentence with the problem, its place and its reason.
struct ConfigurationProblem: Error, CustomStringConvertible {
    let description: String
    /// The JSON Pointer in the file; empty for the whole file and for other sources.
    let place: String

    init(_ description: String, place: String = "") {
        self.description = description
        self.place = place
    }
}
