import { readFileSync } from 'node:fs'

/**
 * Import this before everything else: libuv reads the variable when its thread pool is first used, and
 * only from the environment. Its default of four threads is too few when every request waits for a
 * disk: with 16, as many fsyncs share one flush of the device. The remaining threads are for hanging drives
 * (drives/local/file-calls.ts). Forked workers inherit the value.
 */
process.env.UV_THREADPOOL_SIZE ??= '32'

export const threadPoolSize = Number(process.env.UV_THREADPOOL_SIZE) || 1

/** Assumed where the system reports no limit: Node raises the limit of macOS to at least this. */
const usualLimit = 4_096

/**
 * The maximum number of open descriptors of this process: files and connections together. Node raises its
 * soft limit (RLIMIT_NOFILE) to the hard limit when it starts.
 *
 * @param limitsFile as in proc_pid_limits(5).
 */
export function openFileLimit(limitsFile = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync(limitsFile, 'latin1'))?.[1]
    if (soft === undefined) return usualLimit
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    // Not Linux, or no /proc in this container.
    return usualLimit
  }
}
