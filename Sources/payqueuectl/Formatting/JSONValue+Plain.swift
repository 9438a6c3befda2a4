import StrictJSON

extension JSONValue {
    /// The same value for a person's eyes: no text or name in it can forge a line, a colour or
    /// another order of writing. Any client may have chosen them.
    var plain: JSONValue {
        switch self {
        case .null, .bool, .number: self
        case .string(let text): .string(ScreenText.plain(text))
        case .array(let elements): .array(elements.map(\.plain))
        case .object(let members):
            .object(
                members.map { member in
                    JSONMember(name: ScreenText.plain(member.name), value: member.value.plain)
                })
        }
    }
}
