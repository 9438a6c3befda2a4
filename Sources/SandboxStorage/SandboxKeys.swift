public import PaymentCore
public import PaymentHistory
public import PaymentStorage

extension HistoryKeyKeeper {
    /// The keys of a sandbox, in `keys/sandbox.json` of its state directory. The file is created at
    /// the first signature, not at the start.
    ///
    /// - Parameters:
    ///   - state: The state directory, which this process owns.
    ///   - algorithm: The signature algorithm.
    ///   - now: The clock.
    /// - Returns: The keeper of the keys; it has not read or written anything yet.
    public static func ofSandbox(
        in state: StateDirectory, algorithm: SignatureAlgorithm,
        now: @escaping @Sendable () -> Timestamp
    ) -> HistoryKeyKeeper {
        let file = SecretFile.storeKeys(disk: state.disk, path: state.path)
        return HistoryKeyKeeper(
            algorithm: algorithm, now: now, load: { try file.read(limit: KeyRing.limitBytes) },
            save: { try file.write($0) })
    }
}

extension SecretFile {
    /// The key file of a store, within its state directory.
    public static func storeKeys(disk: any Disk, path: String) -> SecretFile {
        SecretFile("sandbox.json", folder: "keys", disk: disk, path: path)
    }
}
