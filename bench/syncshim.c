/* Counts fsync and fdatasync into a shared file, and can give each a fixed cost in place of the real one.
 *
 * Preloaded (LD_PRELOAD). SYNC_COUNT names the file: one 64-bit counter. SYNC_MICROS, if set, is what a
 * sync costs; the real one is then not made, for the state lies on a disk of memory ("model disk": a
 * shared disk's own syncs move by a factor of ten from minute to minute).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t *counter;
static long cost_micros = -1;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SYNC_COUNT");
    const char *micros = getenv("SYNC_MICROS");
    if (micros)
        cost_micros = atol(micros);
    if (!path)
        return;
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *counter) != 0)
        return;
    void *shared = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED)
        counter = shared;
}

static int synced(const char *name, int file)
{
    if (counter)
        __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    if (cost_micros >= 0) {
        struct timespec pause = {cost_micros / 1000000, (cost_micros % 1000000) * 1000};
        nanosleep(&pause, NULL);
        return 0;
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(file);
}

int fsync(int file) { return synced("fsync", file); }
int fdatasync(int file) { return synced("fdatasync", file); }
