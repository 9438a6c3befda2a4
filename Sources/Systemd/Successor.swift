internal import Glibc

/// Starts the program of this process again, in the same process. The parent process notices no end, and
/// descriptors can be handed to the next start.
public enum Successor {
    /// A descriptor for the next start.
    public struct Handed: Sendable, Hashable {
        /// The descriptor. It stays the caller's if the start fails.
        public let descriptor: Int32
        /// The name of the descriptor at the next start, without `;`.
        public let name: String

        /// Creates a handed descriptor.
        public init(descriptor: Int32, name: String) {
            self.descriptor = descriptor
            self.name = name
        }
    }

    /// The variable that hands descriptors to the next start: `PROCESS;DESCRIPTOR=NAME;…`. Only the process
    /// with that number takes them.
    private static let variable = "HANDED_DESCRIPTORS"

    /// Replaces the program. Returns only if that is not possible.
    ///
    /// All other threads end at once. All descriptors are closed except the standard ones and those that are
    /// handed.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: Its arguments, the name of the program first.
    ///   - environment: Its environment, as this process has received it.
    ///   - handed: The descriptors that stay open.
    /// - Returns: The error number of the system.
    public static func start(
        _ path: String, _ arguments: [String], environment: [String: String],
        handing handed: [Handed]
    ) -> Int32 {
        var environment = environment.filter { !$0.key.hasPrefix("LISTEN_") }
        environment[variable] = ([String(getpid())] + handed.map { "\($0.descriptor)=\($0.name)" })
            .joined(separator: ";")
        let words = cStrings(arguments)
        let settings = cStrings(environment.map { "\($0.key)=\($0.value)" })
        // The next start would inherit signals that libraries have blocked or ignored.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
        // With a terminal, SIGHUP ends the next start, so that it notices a closed terminal. Otherwise SIGHUP
        // is ignored, so that an early reload does not end it.
        signal(SIGHUP, isatty(STDIN_FILENO) == 0 ? SIG_IGN : SIG_DFL)
        closeAtStart(but: handed)
        execve(path, words, settings)
        return errno
    }

    /// Converts texts to C strings, followed by a null pointer. They are not freed: the memory ends with the
    /// program.
    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// Marks all descriptors close-on-exec, except the standard ones and those that are handed.
    private static func closeAtStart(but handed: [Handed]) {
        if let list = opendir("/proc/self/fd") {
            while let entry = readdir(list) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                }
                guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            closedir(list)
        }
        for item in handed { _ = fcntl(item.descriptor, F_SETFD, 0) }
    }

    /// Takes over what the previous start has handed to this process, and removes it from the environment. Call
    /// it once, before threads start.
    static func take() -> [Handed] {
        guard let text = Environment.value(variable) else { return [] }
        unsetenv(variable)
        let parts = text.split(separator: ";")
        guard let process = parts.first, process == String(getpid()) else { return [] }
        return parts.dropFirst().compactMap { part in
            let (number, name) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
            guard let descriptor = Int32(number), descriptor > STDERR_FILENO,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            else {
                return nil
            }
            return Handed(descriptor: descriptor, name: String(name))
        }
    }
}
