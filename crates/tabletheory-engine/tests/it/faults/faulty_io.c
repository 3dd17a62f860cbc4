// A disk that fails, for LD_PRELOAD. Calls that change files under FAULTY_IO_FOLDER are counted; call number
// FAULTY_IO_CALL meets FAULTY_IO_KIND:
//   eio     this call fails once            enospc  this and every later call that needs room fails
//   kill    SIGKILL instead of the call     torn    half of a write happens, then SIGKILL
//   power   whatever was not synced becomes zeros, then SIGKILL
// With FAULTY_IO_COUNT=<file> the number of calls is written there at exit.
// The tempfile crate renames by raw system calls, which pass unseen; the syncs around them do not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { COUNT, EIO_ONCE, ENOSPC_FROM, KILL, TORN, POWER };
enum call { WRITE, SYNC, RESIZE, NAME };
struct range { char path[256]; off_t offset; size_t bytes; };

static char folder[PATH_MAX];
static long target, calls;
static enum kind kind;
static struct range unsynced[4096];
static int unsynced_count, is_dead;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    static const char *kinds[] = {"count", "eio", "enospc", "kill", "torn", "power"};
    const char *text = getenv("FAULTY_IO_FOLDER");
    if (text && !realpath(text, folder)) snprintf(folder, sizeof folder, "%s", text);
    text = getenv("FAULTY_IO_CALL");
    target = text ? atol(text) : 0;
    text = getenv("FAULTY_IO_KIND");
    for (int i = 0; text && i < 6; i++) if (!strcmp(text, kinds[i])) kind = i;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULTY_IO_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) { fprintf(file, "%ld", calls); fclose(file); }
}

static int is_inside(const char *path) { return folder[0] && !strncmp(path, folder, strlen(folder)); }

static int path_of(int fd, char *path) {
    char link[64];
    // A thread that met no fault itself must not report success after another one lost power.
    while (__atomic_load_n(&is_dead, __ATOMIC_SEQ_CST)) pause();
    path[0] = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_inside(path);
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

// The disk forgets what it was never told to keep.
static void lose_power(void) {
    __atomic_store_n(&is_dead, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < unsynced_count; i++) {
        int fd = open(unsynced[i].path, O_WRONLY);
        struct stat now;
        if (fd < 0 || fstat(fd, &now)) continue;
        for (size_t done = 0; done < unsynced[i].bytes && unsynced[i].offset + (off_t)done < now.st_size; done++)
            if (REAL(pwrite)(fd, "", 1, unsynced[i].offset + done) < 0) break;
        close(fd);
    }
    die();
}

// Counts a call. Returns 0 to let it pass, or the error it fails with; -1 for a torn write.
static int meet(enum call call) {
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (!target || number < target) return 0;
    if (kind == ENOSPC_FROM) return call == SYNC ? 0 : ENOSPC;
    if (number > target) return 0;
    if (kind == EIO_ONCE) return EIO;
    if (kind == TORN && call == WRITE) return -1;
    if (kind == POWER) lose_power();
    if (kind == KILL || kind == TORN) die();
    return 0;
}

static void remember(int fd, const char *path, ssize_t bytes, off_t offset) {
    if (kind != POWER || bytes <= 0) return;
    if (offset < 0) offset = lseek(fd, 0, SEEK_CUR) - bytes;
    pthread_mutex_lock(&lock);
    if (unsynced_count < 4096) {
        struct range *range = &unsynced[unsynced_count++];
        snprintf(range->path, sizeof range->path, "%s", path);
        range->offset = offset;
        range->bytes = (size_t)bytes;
    }
    pthread_mutex_unlock(&lock);
}

static void forget(const char *path) {
    pthread_mutex_lock(&lock);
    int kept = 0;
    for (int i = 0; i < unsynced_count; i++) if (strcmp(unsynced[i].path, path)) unsynced[kept++] = unsynced[i];
    unsynced_count = kept;
    pthread_mutex_unlock(&lock);
}

#define FAIL(error) do { errno = (error); return -1; } while (0)
#define WRITE_CALL(signature, half, whole, at)                     \
    ssize_t signature {                                            \
        char path[PATH_MAX];                                       \
        if (!path_of(fd, path)) return whole;                      \
        int error = meet(WRITE);                                   \
        if (error < 0) { if (half) {} die(); }                     \
        if (error) FAIL(error);                                    \
        ssize_t bytes = whole;                                     \
        remember(fd, path, bytes, at);                             \
        return bytes;                                              \
    }
#define FD_CALL(signature, call, whole, then)                      \
    int signature {                                                \
        char path[PATH_MAX];                                       \
        int error = path_of(fd, path) ? meet(call) : 0;            \
        if (error > 0) FAIL(error);                                \
        int result = whole;                                        \
        if (!result && is_inside(path)) { then; }                  \
        return result;                                             \
    }

WRITE_CALL(write(int fd, const void *b, size_t n), REAL(write)(fd, b, n / 2), REAL(write)(fd, b, n), -1)
WRITE_CALL(pwrite(int fd, const void *b, size_t n, off_t o), REAL(pwrite)(fd, b, n / 2, o), REAL(pwrite)(fd, b, n, o), o)
WRITE_CALL(pwrite64(int fd, const void *b, size_t n, off64_t o), REAL(pwrite)(fd, b, n / 2, o), REAL(pwrite)(fd, b, n, o), o)
WRITE_CALL(writev(int fd, const struct iovec *v, int n), REAL(write)(fd, v[0].iov_base, v[0].iov_len / 2), REAL(writev)(fd, v, n), -1)
FD_CALL(fsync(int fd), SYNC, REAL(fsync)(fd), forget(path))
FD_CALL(fdatasync(int fd), SYNC, REAL(fdatasync)(fd), forget(path))
FD_CALL(ftruncate(int fd, off_t n), RESIZE, REAL(ftruncate)(fd, n), (void)0)
FD_CALL(ftruncate64(int fd, off64_t n), RESIZE, REAL(ftruncate)(fd, n), (void)0)

#define NAME_CALL(signature, name, whole)                          \
    int signature { int error = is_inside(name) ? meet(NAME) : 0; if (error > 0) FAIL(error); return whole; }
NAME_CALL(rename(const char *from, const char *to), to, REAL(rename)(from, to))
NAME_CALL(mkdir(const char *path, mode_t mode), path, REAL(mkdir)(path, mode))
NAME_CALL(unlink(const char *path), path, REAL(unlink)(path))
