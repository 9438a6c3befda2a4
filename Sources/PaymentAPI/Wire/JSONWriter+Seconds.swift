import StrictJSON

extension JSONWriter {
    /// Appends a duration in seconds, with a fraction only if it is not zero.
    ///
    /// - Parameter milliseconds: The duration in milliseconds, not negative.
    mutating func seconds(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        integer(seconds)
        guard rest > 0 else { return }
        var fraction = rest
        var digits = 3
        while fraction % 10 == 0 {
            fraction /= 10
            digits -= 1
        }
        raw(".")
        let text = String(fraction)
        for _ in 0..<(digits - text.utf8.count) { raw("0") }
        bytes.append(contentsOf: text.utf8)
    }
}
