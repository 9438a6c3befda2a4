extension StringProtocol {
    /// The text without the matching characters at both ends.
    func trimmed(_ isMargin: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isMargin($0) }),
            let last = lastIndex(where: { !isMargin($0) })
        else { return "" }
        return String(self[first...last])
    }
}
