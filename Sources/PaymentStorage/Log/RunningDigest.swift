internal import Crypto
internal import Synchronization

/// SHA-256 of a segment that grows, computed outside the thread that commits.
///
/// The digest is needed only when the segment ends. The bytes are therefore collected, and another
/// thread digests them piece by piece. Only the digesting runs on another thread.
final class RunningDigest: Sendable {
    /// The minimum number of bytes of a piece.
    private static let pieceBytes = 256 << 10
    /// The maximum number of waiting pieces. With more of them the committing thread digests them
    /// itself.
    private static let waitingPieces = 16

    private struct Backlog {
        var pieces: [[UInt8]] = []
        /// The bytes that are not yet a piece.
        var rest: [UInt8] = []
        /// The memory of a piece that was digested, for the next one.
        var spare: [UInt8] = []

        /// The first piece; its memory is given back by ``reuse(_:)``.
        mutating func takePiece() -> [UInt8]? { pieces.isEmpty ? nil : pieces.removeFirst() }

        /// Keeps the memory of a digested piece, unless it is that of a large batch.
        mutating func reuse(_ piece: consuming [UInt8]) {
            guard piece.capacity <= 2 * RunningDigest.pieceBytes else { return }
            piece.removeAll(keepingCapacity: true)
            spare = piece
        }
    }

    private let digest: Mutex<SHA256>
    private let backlog = Mutex(Backlog())

    /// Continues from a digest.
    init(_ digest: SHA256 = SHA256()) {
        self.digest = Mutex(digest)
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the segment.
    ///   - background: Runs the digesting on another thread, once for each new piece.
    func update(
        _ bytes: [UInt8], background: (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        let waiting = backlog.withLock { backlog -> Int in
            backlog.rest += bytes
            guard backlog.rest.count >= Self.pieceBytes else { return 0 }
            backlog.pieces.append(backlog.rest)
            swap(&backlog.rest, &backlog.spare)
            backlog.spare = []
            backlog.rest.reserveCapacity(2 * Self.pieceBytes)
            return backlog.pieces.count
        }
        if waiting > Self.waitingPieces {
            digestPieces()
        } else if waiting > 0 {
            background { [self] in digestPieces() }
        }
    }

    /// The digest of everything so far, as 64 hexadecimal digits.
    var hex: String {
        digest.withLock { digest in
            takePieces(into: &digest)
            let rest = backlog.withLock { backlog in
                defer { backlog.rest = [] }
                return backlog.rest
            }
            digest.update(rest)
            return digest.hex
        }
    }

    /// The digest of everything so far and of some bytes after it, which are not added.
    func hex(with bytes: [UInt8]) -> String {
        _ = hex
        return digest.withLock { digest in
            var longer = digest
            longer.update(bytes)
            return longer.hex
        }
    }

    private func digestPieces() {
        digest.withLock { takePieces(into: &$0) }
    }

    /// Pieces are taken while the digest is locked, so that they are digested in order, on
    /// whichever thread.
    private func takePieces(into digest: inout SHA256) {
        while true {
            guard let piece = backlog.withLock({ $0.takePiece() }) else { return }
            digest.update(piece)
            backlog.withLock { $0.reuse(piece) }
        }
    }
}
