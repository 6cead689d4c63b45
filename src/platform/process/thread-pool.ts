/**
 * Import this before everything else: libuv reads the variable when its thread pool is first used, and
 * only from the environment. Its default of four threads is too few when every request waits for a
 * disk: with 16, that many fsyncs share one flush of the device. The others are for drives that hang
 * (drives/local/file-calls.ts). Forked workers inherit the value.
 */
process.env.UV_THREADPOOL_SIZE ??= '32'

export const threadPoolSize = Number(process.env.UV_THREADPOOL_SIZE) || 1
