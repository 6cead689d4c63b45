/**
 * Imported before everything else: libuv reads this when its thread pool is first used, and takes
 * it from the environment only. Four threads, its default, are too few where every request waits
 * for a disk: with 16, that many fsyncs share one flush of the device. Forked workers inherit it.
 */
process.env.UV_THREADPOOL_SIZE ??= '16'
