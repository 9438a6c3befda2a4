import Glibc

/// This program and its neighbours in the file system.
enum OwnProgram {
    /// How a person types this program: relative to where they are if it lies below that.
    static var path: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return "payqueuectl" }
        let whole = String(decoding: buffer[..<count], as: UTF8.self)
        guard let place = getcwd(nil, 0) else { return Shell.quoted(whole) }
        defer { free(place) }
        let here = String(cString: place) + "/"
        return Shell.quoted(whole.hasPrefix(here) ? String(whole.dropFirst(here.count)) : whole)
    }

    /// Whether a program of that name can be started.
    static func isInstalled(_ name: String) -> Bool {
        let path = Console.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }
}
