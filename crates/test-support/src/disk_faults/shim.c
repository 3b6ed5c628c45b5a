/* Preloaded into the server: makes writes to the store fail, or waiting for the disk slow, as a control file says.
   Only files named store.db* are affected, or only the recordings of sessions (agents/…/*.jsonl). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int read_path(int file, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int is_store(int file) {
    char path[4096];
    if (!read_path(file, path, sizeof path)) return 0;
    char *name = strrchr(path, '/');
    return name && strncmp(name, "/store.db", 9) == 0;
}

static int is_recording(int file) {
    char path[4096];
    if (!read_path(file, path, sizeof path)) return 0;
    char *end = strrchr(path, '.');
    return strstr(path, "/agents/") && end && strcmp(end, ".jsonl") == 0;
}

/* The current fault: "full", "slow", or nothing. */
static void read_fault(char *fault, size_t size) {
    fault[0] = 0;
    const char *path = getenv("DISK_FAULT_CONTROL");
    FILE *control = path ? fopen(path, "r") : NULL;
    if (!control) return;
    if (!fgets(fault, (int)size, control)) fault[0] = 0;
    fclose(control);
}

static int is_full(int file) {
    char fault[64];
    int store = is_store(file);
    if (!store && !is_recording(file)) return 0;
    read_fault(fault, sizeof fault);
    return strncmp(fault, store ? "full" : "recordings", store ? 4 : 10) == 0;
}

/* Ends early when the control file changes. */
static void wait_for_disk(int file) {
    char fault[64];
    if (!is_store(file)) return;
    for (;;) {
        read_fault(fault, sizeof fault);
        if (strncmp(fault, "slow", 4) != 0) return;
        usleep(10 * 1000);
    }
}

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
    if (is_full(file)) { errno = ENOSPC; return -1; }
    return REAL(ssize_t, write, int, const void *, size_t)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    if (is_full(file)) { errno = ENOSPC; return -1; }
    return REAL(ssize_t, pwrite, int, const void *, size_t, off_t)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    if (is_full(file)) { errno = ENOSPC; return -1; }
    return REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)(file, bytes, count, offset);
}

int fsync(int file) {
    wait_for_disk(file);
    return REAL(int, fsync, int)(file);
}

int fdatasync(int file) {
    wait_for_disk(file);
    return REAL(int, fdatasync, int)(file);
}
