/// The configuration cannot be used: exit 78 and one sentence that says what, where and why.
struct ConfigurationProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
