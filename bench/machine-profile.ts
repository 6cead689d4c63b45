import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'

/** How much of the machine the server and the load generator of a throughput scenario get. */
export interface MachineProfile {
  readonly words: string
  /** Whether Bucketry has one process. */
  readonly isOneProcess: boolean
  /** What goes before the command of a process. */
  readonly prefixOf: (role: 'server' | 'generator') => readonly string[]
  /** Removes what it has created. */
  readonly end: () => void
}

/** Servers share a core, one under load at a time; the generator has the other. */
const coreOf = { server: '0', generator: '1' }
/** The smallest quota that the kernel accepts (cgroups(7), cpu), so that a process is stopped as often as possible. */
const quotaMicroseconds = 1_000
const periodMicroseconds = 2_000
/** Enters a cgroup, then becomes the command. */
const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"'

const oneCore: MachineProfile = {
  words: 'servers on one core',
  isOneProcess: true,
  prefixOf: (role) => ['taskset', '-c', coreOf[role]],
  end: () => undefined,
}

/** By the value of `--profile`. */
export const profiles: Readonly<Record<string, () => MachineProfile>> = {
  all: () => ({
    words: 'servers on all cores',
    isOneProcess: false,
    prefixOf: () => [],
    end: () => undefined,
  }),
  'one-core': () => oneCore,
  slow: slowProfile,
}

/** Each process has half of a core, in pieces of 1 ms. Without a writable cgroup, it has one core as `one-core`. */
function slowProfile(): MachineProfile {
  const made: string[] = []
  const end = () => {
    for (const group of made.splice(0)) rmdirSync(group)
  }
  try {
    const groups = { server: '', generator: '' }
    for (const role of ['server', 'generator'] as const) {
      groups[role] = makeGroup(`bucketry-bench-${process.pid}-${role}`)
      made.push(groups[role])
    }
    return {
      words: 'servers on one core, 1 ms of every 2 ms; so is the load generator',
      isOneProcess: true,
      prefixOf: (role) => ['sh', '-c', enter, groups[role], ...oneCore.prefixOf(role)],
      end,
    }
  } catch (error) {
    end()
    const reason = error instanceof Error ? error.message : String(error)
    return { ...oneCore, words: `${oneCore.words}, without a limit of its time (${reason})` }
  }
}

/** Creates a cgroup of version 2 or 1 with the quota; returns its folder. */
function makeGroup(name: string): string {
  const controllers = '/sys/fs/cgroup/cgroup.controllers'
  const isUnified = existsSync(controllers) && readFileSync(controllers, 'latin1').includes('cpu')
  const group = `/sys/fs/cgroup/${isUnified ? '' : 'cpu/'}${name}`
  mkdirSync(group)
  try {
    if (isUnified) {
      writeFileSync(`${group}/cpu.max`, `${quotaMicroseconds} ${periodMicroseconds}`)
    } else {
      writeFileSync(`${group}/cpu.cfs_period_us`, String(periodMicroseconds))
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(quotaMicroseconds))
    }
  } catch (error) {
    rmdirSync(group)
    throw error
  }
  return group
}
