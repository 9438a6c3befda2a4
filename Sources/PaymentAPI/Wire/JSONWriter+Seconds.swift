import StrictJSON

extension JSONWriter {
    /// A span of time in seconds, digit by digit: a fraction only where there is one.
    ///
    /// - Parameter milliseconds: Not negative.
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
