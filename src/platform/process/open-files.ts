import { readFileSync } from 'node:fs'

/** Assumed where the system reports no limit: Node raises the limit of macOS to at least this. */
const usualLimit = 4_096

/**
 * How many descriptors this process may have open: files and connections together. Node raises its
 * soft limit (RLIMIT_NOFILE) to the hard one when it starts.
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
