public import PaymentCore

/// The source of a store's keys.
public protocol HistoryKeys: Sendable {
    /// The keys. They are generated and saved if there are none yet.
    ///
    /// - Throws: The keys cannot be read, generated or saved.
    func ring() async throws(StoreFailure) -> KeyRing
}

/// The source for a store that signs nothing.
public struct NoHistoryKeys: HistoryKeys {
    /// Creates the source.
    public init() {}

    /// Always throws.
    public func ring() async throws(StoreFailure) -> KeyRing {
        throw StoreFailure(.internalError, "this store does not sign histories")
    }
}

/// The keys of a store in one small file. Closures read and write the file.
///
/// The pair is made when it is needed for the first time. Calls that come meanwhile wait for it:
/// there is one pair, ever. Another algorithm than the file's rotates to a new pair, and the old
/// public key stays in the set. A file that was changed since, to rotate, is read again.
public actor HistoryKeyKeeper: HistoryKeys {
    private let algorithm: SignatureAlgorithm
    private let now: @Sendable () -> Timestamp
    private let load: @Sendable () throws -> [UInt8]?
    private let save: @Sendable ([UInt8]) throws -> Void
    private var known: (ring: KeyRing, bytes: [UInt8])?

    /// Creates the keeper; it reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - algorithm: The signature algorithm.
    ///   - now: The clock.
    ///   - load: Reads the file; nil if there is none yet.
    ///   - save: Replaces the whole file and returns when it is on stable storage.
    public init(
        algorithm: SignatureAlgorithm = .rs256, now: @escaping @Sendable () -> Timestamp,
        load: @escaping @Sendable () throws -> [UInt8]?,
        save: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.algorithm = algorithm
        self.now = now
        self.load = load
        self.save = save
    }

    /// The keys. A new pair is on stable storage before its first use.
    ///
    /// - Throws: The keys cannot be read, generated or saved.
    public func ring() throws(StoreFailure) -> KeyRing {
        var ring = try read()
        if ring?.current.algorithm != algorithm {
            let fresh = try Self.generate(algorithm)
            if ring == nil {
                ring = KeyRing(fresh, createdAt: now())
            } else {
                ring?.rotate(to: fresh, at: now())
            }
            if let ring { try write(ring) }
        }
        guard let ring else { throw StoreFailure(.internalError, "there is no signing key") }
        return ring
    }

    /// Rotates to a new pair. The old public key stays in the set.
    ///
    /// - Returns: The keys after the rotation.
    /// - Throws: The keys cannot be read, generated or saved.
    @discardableResult
    public func rotate() throws(StoreFailure) -> KeyRing {
        var ring = try ring()
        ring.rotate(to: try Self.generate(algorithm), at: now())
        try write(ring)
        return ring
    }

    /// The keys in the file. If the file is missing or unreadable, the keys read before stay valid.
    private func read() throws(StoreFailure) -> KeyRing? {
        do {
            guard let bytes = try load(), bytes != known?.bytes else { return known?.ring }
            let ring = try KeyRing(fileBytes: bytes)
            known = (ring, bytes)
            return ring
        } catch {
            if let known { return known.ring }
            throw StoreFailure(.internalError, "cannot read the store's signing key: \(error)")
        }
    }

    private func write(_ ring: KeyRing) throws(StoreFailure) {
        do {
            let bytes = ring.fileBytes
            try save(bytes)
            known = (ring, bytes)
        } catch {
            throw StoreFailure(.internalError, "cannot store the signing key: \(error)")
        }
    }

    private static func generate(
        _ algorithm: SignatureAlgorithm
    ) throws(StoreFailure) -> SigningKey {
        do throws(SigningFault) {
            return try SigningKey.generate(algorithm)
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
    }
}
