import { readdirSync, readFileSync } from 'node:fs'

/** The ids of the processes that this one started and that still run, also those that its threads started (Linux). */
export function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks).flatMap((task) => {
      const children = readFileSync(`${tasks}/${task}/children`, 'latin1')
      return children.trim().split(' ').filter(Boolean).map(Number)
    })
  } catch {
    // It ended meanwhile, or this is not Linux.
    return []
  }
}

/** The process and all that it started, directly or not. A process whose parent has ended is not found any more. */
export function treeOf(pid: number): number[] {
  const all = [pid]
  for (const parent of all) all.push(...childrenOf(parent))
  return all
}

/** Sends a signal to those of the processes that still run. */
export function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
}
