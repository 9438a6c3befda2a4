/// The limits on the structure of a JSON text.
///
/// The number of bytes is limited by the framing instead, because only the framing can refuse a
/// line before it is in memory.
public struct JSONLimits: Sendable, Hashable {
    /// The greatest nesting of arrays and objects; a single array has depth 1.
    public let maximumDepth: Int

    /// The greatest number of tokens. Names and values count one each, brackets nothing.
    public let maximumTokens: Int

    /// Creates limits; the defaults are for untrusted text.
    ///
    /// - Parameters:
    ///   - maximumDepth: From 1 to 512. The upper end bounds the recursion over parsed trees.
    ///   - maximumTokens: At least 1, at most `Int32.max`.
    public init(maximumDepth: Int = 32, maximumTokens: Int = 4096) {
        precondition(
            (1...512).contains(maximumDepth), "a JSON depth limit is between 1 and 512")
        precondition(
            (1...Int(Int32.max)).contains(maximumTokens),
            "a JSON token limit is between 1 and Int32.max")
        self.maximumDepth = maximumDepth
        self.maximumTokens = maximumTokens
    }

    /// The limits for files that this software wrote itself: depth 64, any number of tokens.
    public static let trusted = JSONLimits(maximumDepth: 64, maximumTokens: Int(Int32.max))
}
