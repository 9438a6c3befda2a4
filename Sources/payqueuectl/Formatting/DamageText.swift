import StrictJSON

/// Damage to a file of the state directory, as `status` reports it, for users.
enum DamageText {
    /// The sentence about damage, without a full stop.
    static func sentence(_ damage: JSONValue) -> String {
        let file = ScreenText.plain(damage["file"]?.stringValue ?? "a file")
        let place = damage["offset"]?.intValue.map { " at byte \($0)" } ?? ""
        let range = damage["from"]?.intValue.map { from in
            let to = damage["to"]?.intValue ?? from
            return from == to ? ", record \(from)" : ", records \(from) to \(to)"
        }
        return "'\(file)' is damaged\(place)\(range ?? "")"
    }
}
