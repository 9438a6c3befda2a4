// The least that a service of Type=notify can be: says that it is ready, and waits to be ended.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || strlen(path) >= sizeof address.sun_path) return 1;
    strcpy(address.sun_path, path);
    int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sendto(made, "READY=1", 7, 0, (struct sockaddr *)&address,
               offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1) != 7)
        return 1;
    pause();
}
