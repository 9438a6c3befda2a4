/// How much structure one JSON text may have before it is refused.
///
/// The number of bytes is not limited here: whoever frames the text limits it, because only the
/// reader of bytes can refuse a line before it is in memory.
public struct JSONLimits: Sendable, Hashable {
    /// The greatest number of arrays and objects inside each other; a lone array has depth 1.
    public let maximumDepth: Int

    /// The greatest number of tokens; names and values count one each, brackets nothing.
    public let maximumTokens: Int

    /// Limits for text that a stranger wrote.
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

    /// Limits for files that this software wrote itself: 64 deep, any number of tokens.
    public static let trusted = JSONLimits(maximumDepth: 64, maximumTokens: Int(Int32.max))
}
