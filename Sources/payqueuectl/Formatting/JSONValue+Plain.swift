import StrictJSON

extension JSONValue {
    /// The same value for display. Texts and names, which any client may have chosen, cannot forge
    /// a line, a colour or a writing direction.
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
