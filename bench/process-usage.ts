import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** What a server and its children have used, from /proc (proc(5)). Linux only, as taskset is. */

/** USER_HZ: the unit of times in /proc/PID/stat, 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

/** The process and all its descendants. */
export function processTree(pid: number): number[] {
  const childrenOf = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = Number(statFields(Number(name))?.[1])
    if (!Number.isNaN(parent))
      childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)])
  }
  const tree = [pid]
  for (const member of tree) tree.push(...(childrenOf.get(member) ?? []))
  return tree
}

/** User and system time so far of the process and its living descendants. */
export function cpuSeconds(pid: number): number {
  return sum(processTree(pid), (member) => secondsOf(statFields(member)))
}

/** User and system time so far of each thread of the process and its descendants, by its id. */
export function threadSeconds(pid: number): Map<string, number> {
  return new Map(threadsOf(pid).map((thread) => [thread, secondsOf(statFields(thread))]))
}

/** How often the living threads of the process and its descendants waited, or had to leave their core, so far. */
export function contextSwitches(pid: number): number {
  return sum(threadsOf(pid), (thread) =>
    sum([...statusOf(thread).matchAll(/ctxt_switches:\s+(\d+)/g)], ([, count]) => Number(count)),
  )
}

function threadsOf(pid: number): string[] {
  return processTree(pid).flatMap((member) =>
    readdirSync(`/proc/${member}/task`).map((thread) => `${member}/task/${thread}`),
  )
}

function secondsOf(fields: string[] | undefined): number {
  return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) / ticksPerSecond
}

/** Resident memory now, all processes together (memory they share counts for each). */
export function residentBytes(pid: number): number {
  return sum(processTree(pid), (member) => statusBytes(member, 'VmRSS'))
}

/** The sum of each process's peak since `resetPeak`: at least as high as any moment's sum. */
export function peakBytes(pid: number): number {
  return sum(processTree(pid), (member) => statusBytes(member, 'VmHWM'))
}

export function resetPeak(pid: number): void {
  // 5 resets VmHWM to VmRSS (proc(5), /proc/pid/clear_refs).
  for (const member of processTree(pid)) writeFileSync(`/proc/${member}/clear_refs`, '5')
}

/** Bytes handed to write calls so far: shows whether an operation copies. */
export function writtenBytes(pid: number): number {
  return countedBytes(pid, 'wchar')
}

/** Bytes from read calls so far, of files and sockets: shows whether an operation reads files. */
export function readBytes(pid: number): number {
  return countedBytes(pid, 'rchar')
}

function countedBytes(pid: number, name: 'rchar' | 'wchar'): number {
  const pattern = new RegExp(`^${name}: (\\d+)`, 'm')
  return sum(processTree(pid), (member) =>
    Number(pattern.exec(readFileSync(`/proc/${member}/io`, 'latin1'))?.[1] ?? 0),
  )
}

export interface Memory {
  readonly rss: number
  /** Memory that processes share counts once. */
  readonly pss: number
  readonly privateDirty: number
}

/** Bytes of all processes together. */
export function memoryOf(pid: number): Memory {
  const rollups = processTree(pid).map(readRollup)
  const of = (field: string) =>
    sum(
      rollups,
      (rollup) => 1024 * Number(new RegExp(`^${field}: +(\\d+)`, 'm').exec(rollup)?.[1] ?? 0),
    )
  return { rss: of('Rss'), pss: of('Pss'), privateDirty: of('Private_Dirty') }
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  } catch {
    return '' // It has ended since the tree was read.
  }
}

function statusBytes(pid: number, field: string): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(statusOf(pid))?.[1]
  return Number(kibibytes ?? 0) * 1024
}

/** /proc/PID/status, also of a thread, `PID/task/ID`. */
function statusOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return '' // It has ended since the tree was read.
  }
}

/** Fields of /proc/PID/stat behind the command name: state, ppid, … Also of a thread, `PID/task/ID`. */
function statFields(pid: number | string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // No process, or it has ended since.
  }
}

function sum<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + amountOf(item), 0)
}
