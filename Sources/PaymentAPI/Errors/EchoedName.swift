/// Names from clients in error messages.
enum EchoedName {
    /// The maximum length in bytes. No valid name is longer.
    static let limitBytes = 128

    /// The name, or its beginning and an ellipsis.
    static func clipped(_ name: String) -> String {
        guard name.utf8.count > limitBytes else { return name }
        let ellipsis = "…"
        var kept = ""
        var room = limitBytes - ellipsis.utf8.count
        for scalar in name.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept + ellipsis
    }
}
