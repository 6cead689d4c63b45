import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'

/** Calls on files and bytes through sockets: the work of a request. */
const fileCalls = new Set(
  (
    'open openat openat2 creat close read write readv writev pread64 pwrite64 preadv pwritev ' +
    'stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat statfs ' +
    'link linkat symlink symlinkat rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir ' +
    'fsync fdatasync sync_file_range syncfs ftruncate fallocate getdents64 fcntl flock ' +
    'utimensat chmod fchmod copy_file_range sendfile ioctl fgetxattr getxattr fsetxattr setxattr'
  ).split(' '),
)
const socketCalls = new Set('read write readv writev sendmsg recvmsg sendto recvfrom'.split(' '))
const ofSocket = ' of a socket'
const syncCalls = new Set(['fsync', 'fdatasync', 'syncfs'])

/** How many pages SQLite reads and writes depends on where its random keys fall. */
const pageCalls = new Set(['pread64', 'pwrite64'])
const databaseFile = /\.db(-wal|-shm)?$/

/**
 * Not counted, because their number depends on the scheduler: how threads wake each other (futex,
 * eventfd, epoll), memory of the heap, the log.
 */
const standardStreams = new Set(['0', '1', '2'])

export interface SystemCalls {
  /** Calls on files, syncs included. */
  readonly files: number
  readonly syncs: number
  /** Reads and writes of sockets. */
  readonly sockets: number
  /** How often each was called, for the message of a failed test. */
  readonly names: ReadonlyMap<string, number>
}

/** Why system calls can't be counted here; undefined if they can. */
export function traceObstacle(): string | undefined {
  try {
    execFileSync('strace', ['-qq', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'needs strace, and the permission to trace'
  }
}

/**
 * Counts what all threads of the process call, for each of the requests, which are sent one after
 * the other. What is done behind a reply may count for the next request.
 */
export async function countSystemCalls(
  pid: number,
  traceFile: string,
  requests: readonly (() => Promise<unknown>)[],
): Promise<SystemCalls[]> {
  const names = [...fileCalls, ...socketCalls].map((name) => `?${name}`).join(',')
  // -y names the file behind each descriptor, -s 0 leaves out the bytes.
  const options = ['-f', '-y', '-s', '0', '-e', `trace=${names}`, '-o', traceFile]
  const tracer = spawn('strace', [...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(tracer, 'exit')
  const [said] = await Promise.race([once(tracer.stderr, 'data'), ended])
  if (!String(said).includes('attached')) throw new Error(`strace did not attach: ${said}`)
  const ends = [0]
  try {
    for (const send of requests) {
      await send()
      // strace writes each line before it lets the call continue.
      ends.push(statSync(traceFile).size)
    }
  } finally {
    tracer.kill('SIGINT')
    await ended
  }
  const trace = readFileSync(traceFile, 'latin1')
  return requests.map((_, index) => parseTrace(trace.slice(ends[index], ends[index + 1])))
}

function parseTrace(trace: string): SystemCalls {
  const names = new Map<string, number>()
  // A call that another thread interrupts has a second line: `<... fsync resumed>`.
  for (const [, name = '', descriptor, target] of trace.matchAll(
    /^\d+ +(\w+)\((?:(\d+)<([^>]*))?/gm,
  )) {
    const label = labelOf(name, descriptor, target)
    if (label !== undefined) names.set(label, (names.get(label) ?? 0) + 1)
  }
  const sum = (isCounted: (label: string) => boolean) =>
    [...names].reduce((total, [label, count]) => total + (isCounted(label) ? count : 0), 0)
  const sockets = sum((label) => label.endsWith(ofSocket))
  return {
    files: sum(() => true) - sockets,
    syncs: sum((label) => syncCalls.has(label)),
    sockets,
    names,
  }
}

/** How a call is counted; undefined if it is not. */
function labelOf(name: string, descriptor = '', target = ''): string | undefined {
  if (standardStreams.has(descriptor) || /^(anon_inode|pipe):/.test(target)) return undefined
  if (target.startsWith('socket:')) return socketCalls.has(name) ? name + ofSocket : undefined
  if (pageCalls.has(name) && databaseFile.test(target)) return undefined
  return fileCalls.has(name) ? name : undefined
}
