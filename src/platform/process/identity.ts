import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Names this process so that another process on any host can check whether it still runs: leases
 * and lock files name their holder, and those of a dead process are taken over at once.
 *
 * A process id alone is not enough: it is reused, and containers have their own numbering. So the
 * name is `host/pid/start` with host = boot id and process-id namespace (Linux) or the host name,
 * and start = the process's start time in clock ticks since boot, where the system provides it.
 */
export type ProcessName = string

export type Liveness =
  | 'alive'
  | 'dead'
  /** The process cannot be checked from here: only the lease's expiry counts. */
  | 'elsewhere'

const hostName = readHostName()

export const thisProcess: ProcessName = nameOf(process.pid, readStartTicks(process.pid))

let diedElsewhere: ReadonlySet<ProcessName> = new Set()

/**
 * The name of a child process. Undefined where the system does not provide its start time, because another process
 * could later get the same name.
 */
export function nameOfChild(pid: number): ProcessName | undefined {
  const start = readStartTicks(pid)
  return start === undefined ? undefined : nameOf(pid, start)
}

/** Sets the processes on other hosts that are known to have ended, as reported by their parent processes. */
export function setDiedElsewhere(names: readonly ProcessName[]): void {
  diedElsewhere = new Set(names)
}

/** Whether the process is or was on this host. */
export function isOnThisHost(name: ProcessName): boolean {
  return name.split('/')[0] === hostName
}

/** Whether the system has not been restarted since the process ran. */
export function isOfThisBoot(name: ProcessName): boolean {
  const bootOf = (one: ProcessName) => one.split(/[./]/)[0]
  return bootOf(name) === bootOf(thisProcess)
}

/**
 * Whether the named process still runs. A malformed name is `elsewhere`: nothing is known about it.
 */
export function livenessOf(name: ProcessName): Liveness {
  if (name === thisProcess) return 'alive'
  const [host, pidText = '', start = ''] = name.split('/')
  const pid = Number(pidText)
  if (host !== hostName || !Number.isSafeInteger(pid) || pid <= 0) {
    return diedElsewhere.has(name) ? 'dead' : 'elsewhere'
  }
  if (!doesProcessExist(pid)) return 'dead'
  return (readStartTicks(pid) ?? '') === start ? 'alive' : 'dead'
}

/**
 * Where and when a process started: its host, and that host's clock ticks since boot. Undefined for a malformed
 * name, and where the system does not provide the time.
 */
export function startOf(name: ProcessName): { host: string; ticks: number } | undefined {
  const [host = '', , start = ''] = name.split('/')
  return /^\d+$/.test(start) ? { host, ticks: Number(start) } : undefined
}

/**
 * This host's clock ticks since boot, as in `startOf`; 0 where the system does not provide them. They stop while
 * the machine is suspended.
 */
export function ticksNow(): number {
  const own = startOf(thisProcess)
  // Linux reports start times in hundredths of a second (USER_HZ, proc(5)). /proc/uptime can be that of a container.
  return own === undefined ? 0 : own.ticks + Math.round(process.uptime() * 100)
}

function nameOf(pid: number, start = ''): ProcessName {
  return `${hostName}/${pid}/${start}`
}

function doesProcessExist(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readHostName(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
    return `${bootId}.${namespace}`
  } catch {
    return hostname().replaceAll('/', '_')
  }
}

/**
 * Field 22 of /proc/PID/stat (proc(5)); undefined if the file does not exist or the process has ended. A killed process
 * is a zombie at first. It has not ended while one of its threads hangs in a system call, as on a network file system.
 */
function readStartTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command name, in parentheses, may contain spaces, so fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = fields[0] === 'Z' && readdirSync(`/proc/${pid}/task`).length <= 1
    return hasEnded ? undefined : fields[19]
  } catch {
    return undefined
  }
}
