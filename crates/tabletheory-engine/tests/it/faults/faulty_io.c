// A disk that fails, for LD_PRELOAD. Calls that change files under FAULTY_IO_FOLDER are counted, from the moment that
// the folder FAULTY_IO_FROM is made, or from the start without it. Call number FAULTY_IO_CALL meets FAULTY_IO_KIND:
//   eio     this call fails once           enospc  this write is done by half, every later call that needs room fails
//   kill    SIGKILL instead of the call    torn    a write is done by half, then SIGKILL
//   power   the process ends and the disk keeps what was synced
//   pages   the process ends and the disk keeps what was synced, and some sectors of what was written since
// In FAULTY_IO_COUNT the number of calls is written when the folder FAULTY_IO_FROM.end is made, and again at exit.
//
// FAULTY_IO_SHADOW is what the disk really has: for each file and each folder one entry, called by its inode and its
// time of birth. A file's entry has its bytes as they were last synced; a folder's entry lists its names as they were
// last synced. What was not synced when an fsync failed never comes here: the kernel drops the pages that it could not
// write, and the next fsync succeeds without them.
// The tempfile crate renames by raw system calls, which pass uncounted; the syncs around them do not.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { COUNT, EIO_ONCE, ENOSPC_FROM, KILL, TORN, POWER, PAGES };
enum call { WRITE, SYNC, NAME };
#define KEY_BYTES 48
#define SECTOR_BYTES 512
// `bytes` is WHOLE where a file was cut or made anew.
#define WHOLE (-1)
struct range { char key[KEY_BYTES], path[PATH_MAX]; off_t offset, bytes; };

static char folder[PATH_MAX], shadow[PATH_MAX];
static const char *from;
static long target, calls;
static int is_counting;
static enum kind kind;
static struct range *unsynced;
static int unsynced_count, unsynced_room;
// Files that this process has synced; others may hold what an earlier process did not sync.
static char (*known)[KEY_BYTES];
static int known_count;
// Held for a whole call, and kept by a dying one: no other thread changes the disk after it.
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    static const char *kinds[] = {"count", "eio", "enospc", "kill", "torn", "power", "pages"};
    const char *text = getenv("FAULTY_IO_FOLDER");
    if (text && !realpath(text, folder)) snprintf(folder, sizeof folder, "%s", text);
    text = getenv("FAULTY_IO_SHADOW");
    if (text) snprintf(shadow, sizeof shadow, "%s", text);
    text = getenv("FAULTY_IO_CALL");
    target = text ? atol(text) : 0;
    text = getenv("FAULTY_IO_KIND");
    for (int i = 0; text && i < 7; i++) if (!strcmp(text, kinds[i])) kind = i;
    from = getenv("FAULTY_IO_FROM");
    is_counting = !from;
}

static void tell_count(void) {
    const char *path = getenv("FAULTY_IO_COUNT");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) { fprintf(file, "%ld\n", calls); fclose(file); }
}

__attribute__((destructor)) static void end(void) { tell_count(); }

static int is_inside(const char *path) { return folder[0] && !strncmp(path, folder, strlen(folder)); }

static int path_of(int fd, char *path) {
    char link[64];
    path[0] = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_inside(path);
}

// The name of a file's entry in the shadow.
static int key_of(int at, const char *path, char *key, int *is_folder) {
    struct statx file;
    int flags = AT_SYMLINK_NOFOLLOW | (path[0] ? 0 : AT_EMPTY_PATH);
    if (statx(at, path, flags, STATX_INO | STATX_BTIME | STATX_TYPE, &file)) return -1;
    long long seconds = 0;
    unsigned nanos = 0;
    if (file.stx_mask & STATX_BTIME) { seconds = file.stx_btime.tv_sec; nanos = file.stx_btime.tv_nsec; }
    snprintf(key, KEY_BYTES, "%llu-%lld.%09u", (unsigned long long)file.stx_ino, seconds, nanos);
    if (is_folder) *is_folder = S_ISDIR(file.stx_mode);
    return 0;
}

static int open_entry(const char *key, int flags) {
    char path[PATH_MAX + KEY_BYTES + 1];
    snprintf(path, sizeof path, "%s/%s", shadow, key);
    return REAL(open)(path, flags | O_WRONLY | O_CREAT, 0644);
}

static void broken(const char *what) { perror(what); abort(); }

static void copy(int file, int entry, off_t offset, off_t bytes) {
    char buffer[65536];
    while (bytes > 0) {
        ssize_t got = pread(file, buffer, bytes < (off_t)sizeof buffer ? (size_t)bytes : sizeof buffer, offset);
        if (got <= 0) return;
        if (REAL(pwrite)(entry, buffer, got, offset) != got) broken("shadow");
        offset += got;
        bytes -= got;
    }
}

static void copy_whole(int file, int entry, off_t size) {
    if (REAL(ftruncate)(entry, 0)) broken("shadow");
    for (off_t hole = 0; hole < size;) {
        off_t data = lseek(file, hole, SEEK_DATA);
        if (data < 0) break;
        hole = lseek(file, data, SEEK_HOLE);
        copy(file, entry, data, hole - data);
    }
}

static void forget(const char *key) {
    int kept = 0;
    for (int i = 0; i < unsynced_count; i++)
        if (strcmp(unsynced[i].key, key) && kept++ != i) unsynced[kept - 1] = unsynced[i];
    unsynced_count = kept;
}

static int is_known(const char *key) {
    for (int i = 0; i < known_count; i++) if (!strcmp(known[i], key)) return 1;
    known = realloc(known, (known_count + 1) * sizeof *known);
    strcpy(known[known_count++], key);
    return 0;
}

static void keep_file(const char *key, const char *path) {
    struct stat now;
    int file = REAL(open)(path, O_RDONLY), entry = open_entry(key, 0);
    if (file < 0 || entry < 0 || fstat(file, &now)) broken("shadow of a file");
    int is_new = !is_known(key);
    if (is_new) copy_whole(file, entry, now.st_size);
    for (int i = 0; i < unsynced_count && !is_new; i++) {
        struct range *range = &unsynced[i];
        if (strcmp(range->key, key)) continue;
        if (range->bytes == WHOLE) copy_whole(file, entry, now.st_size);
        else copy(file, entry, range->offset, range->bytes);
    }
    forget(key);
    if (REAL(ftruncate)(entry, now.st_size)) broken("shadow");
    close(file);
    close(entry);
}

static void keep_folder(const char *key, const char *path) {
    char name_key[KEY_BYTES];
    int is_folder, entry = open_entry(key, O_TRUNC);
    DIR *names = opendir(path);
    if (entry < 0 || !names) broken("shadow of a folder");
    for (struct dirent *name; (name = readdir(names));) {
        if (!strcmp(name->d_name, ".") || !strcmp(name->d_name, "..")) continue;
        if (key_of(dirfd(names), name->d_name, name_key, &is_folder)) continue;
        dprintf(entry, "%s %s %s\n", is_folder ? "folder" : "file", name_key, name->d_name);
    }
    closedir(names);
    close(entry);
}

static void keep(int fd, const char *path, int result) {
    char key[KEY_BYTES], self[64];
    int is_folder;
    if (!shadow[0] || key_of(fd, "", key, &is_folder)) return;
    if (result) { is_known(key); forget(key); return; }
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (is_folder) keep_folder(key, path); else keep_file(key, self);
}

static void remember(int fd, const char *path, off_t bytes, off_t offset) {
    if (!shadow[0] || !bytes || (bytes < 0 && bytes != WHOLE)) return;
    if (unsynced_count == unsynced_room) {
        unsynced_room = unsynced_room ? unsynced_room * 2 : 64;
        unsynced = realloc(unsynced, unsynced_room * sizeof *unsynced);
    }
    struct range *range = &unsynced[unsynced_count];
    if (key_of(fd, "", range->key, NULL)) return;
    if (bytes != WHOLE && offset < 0) offset = lseek(fd, 0, SEEK_CUR) - bytes;
    strcpy(range->path, path);
    range->offset = offset;
    range->bytes = bytes;
    unsynced_count++;
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

// Half of the sectors that were not synced reach the disk all the same, in whatever order.
static void keep_some_sectors(void) {
    unsigned dice = 2463534242u ^ (unsigned)target;
    for (int i = 0; i < unsynced_count; i++) {
        struct range *range = &unsynced[i];
        char key[KEY_BYTES];
        if (range->bytes == WHOLE) continue;
        int file = REAL(open)(range->path, O_RDONLY);
        if (file < 0 || key_of(file, "", key, NULL) || strcmp(key, range->key)) continue;
        int entry = open_entry(key, 0);
        off_t end = range->offset + range->bytes;
        for (off_t at = range->offset; at < end;) {
            off_t next = (at / SECTOR_BYTES + 1) * SECTOR_BYTES;
            if (next > end) next = end;
            dice ^= dice << 13; dice ^= dice >> 17; dice ^= dice << 5;
            if (dice & 1) copy(file, entry, at, next - at);
            at = next;
        }
        close(file);
        close(entry);
    }
}

// Counts a call. Returns 0 to let it pass, or the error it fails with; -1 for a write that is done by half.
static int meet(enum call call) {
    if (!is_counting) return 0;
    long number = ++calls;
    if (!target || number < target) return 0;
    if (kind == ENOSPC_FROM && call == WRITE && number == target) return -1;
    if (kind == ENOSPC_FROM) return call == SYNC ? 0 : ENOSPC;
    if (number > target) return 0;
    if (kind == EIO_ONCE) return EIO;
    if (kind == TORN && call == WRITE) return -1;
    if (kind == PAGES) keep_some_sectors();
    if (kind != COUNT) die();
    return 0;
}

#define LOCKED(result_type, body)                                  \
    pthread_mutex_lock(&lock);                                     \
    result_type result; int error = 0;                             \
    body;                                                          \
    pthread_mutex_unlock(&lock);                                   \
    if (error > 0) { errno = error; return -1; }                   \
    return result
#define WRITE_CALL(signature, half, whole, at)                     \
    ssize_t signature {                                            \
        char path[PATH_MAX];                                       \
        if (!path_of(fd, path)) return whole;                      \
        LOCKED(ssize_t, {                                          \
            error = meet(WRITE);                                   \
            result = error < 0 ? half : error ? -1 : whole;        \
            if (error <= 0) remember(fd, path, result, at);        \
            if (error < 0 && kind == TORN) die();                  \
        });                                                        \
    }
#define FD_CALL(signature, call, whole, then)                      \
    int signature {                                                \
        char path[PATH_MAX];                                       \
        if (!path_of(fd, path)) return whole;                      \
        LOCKED(int, {                                              \
            error = meet(call);                                    \
            result = error ? -1 : whole;                           \
            then;                                                  \
        });                                                        \
    }
#define HALF(n) ((n) > 1 ? (n) / 2 : (n))

WRITE_CALL(write(int fd, const void *b, size_t n), REAL(write)(fd, b, HALF(n)), REAL(write)(fd, b, n), -1)
WRITE_CALL(pwrite(int fd, const void *b, size_t n, off_t o), REAL(pwrite)(fd, b, HALF(n), o), REAL(pwrite)(fd, b, n, o), o)
WRITE_CALL(pwrite64(int fd, const void *b, size_t n, off64_t o), REAL(pwrite)(fd, b, HALF(n), o), REAL(pwrite)(fd, b, n, o), o)
WRITE_CALL(writev(int fd, const struct iovec *v, int n), REAL(write)(fd, v[0].iov_base, HALF(v[0].iov_len)), REAL(writev)(fd, v, n), -1)
FD_CALL(fsync(int fd), SYNC, REAL(fsync)(fd), keep(fd, path, result))
FD_CALL(fdatasync(int fd), SYNC, REAL(fdatasync)(fd), keep(fd, path, result))
FD_CALL(ftruncate(int fd, off_t n), NAME, REAL(ftruncate)(fd, n), if (!result) remember(fd, path, WHOLE, 0))
FD_CALL(ftruncate64(int fd, off64_t n), NAME, REAL(ftruncate)(fd, n), if (!result) remember(fd, path, WHOLE, 0))

#define NAME_CALL(signature, name, whole)                          \
    int signature {                                                \
        if (!is_inside(name)) return whole;                        \
        LOCKED(int, { error = meet(NAME); result = error ? -1 : whole; }); \
    }
NAME_CALL(rename(const char *to_from, const char *to), to, REAL(rename)(to_from, to))
NAME_CALL(unlink(const char *path), path, REAL(unlink)(path))

int mkdir(const char *path, mode_t mode) {
    size_t length = from ? strlen(from) : 0;
    if (from && !strcmp(path, from)) is_counting = 1;
    if (from && !strncmp(path, from, length) && !strcmp(path + length, ".end")) tell_count();
    if (!is_inside(path)) return REAL(mkdir)(path, mode);
    LOCKED(int, { error = meet(NAME); result = error ? -1 : REAL(mkdir)(path, mode); });
}

// A file that is opened to be made or emptied.
static int open_anew(const char *path, int flags, mode_t mode) {
    LOCKED(int, {
        error = access(path, F_OK) && (flags & O_CREAT) ? meet(NAME) : 0;
        result = error ? -1 : REAL(open)(path, flags, mode);
        if (result >= 0 && (flags & O_TRUNC)) remember(result, path, WHOLE, 0);
    });
}

#define OPEN_CALL(name)                                            \
    int name(const char *path, int flags, ...) {                   \
        va_list more;                                              \
        va_start(more, flags);                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                              \
        if (is_inside(path) && flags & (O_CREAT | O_TRUNC)) return open_anew(path, flags, mode); \
        return REAL(open)(path, flags, mode);                      \
    }
OPEN_CALL(open)
OPEN_CALL(open64)
