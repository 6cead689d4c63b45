import nodeFs from 'node:fs'
import { promisify } from 'node:util'
import { Limiter } from '../../../platform/process/limiter.ts'
import { threadPoolSize } from '../../../platform/process/process-limits.ts'
import { untilAborted } from '../../../platform/process/time-limit.ts'
import type { Drive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'

const mountsFile = '/proc/self/mountinfo'
/** The types, as in that file (proc(5)), of file systems on disks of this machine. Any other may wait for a server. */
const diskTypes = new Set(
  'bcachefs btrfs erofs exfat ext2 ext3 ext4 f2fs hfsplus iso9660 jfs nilfs2 ntfs3 overlay ramfs reiserfs squashfs tmpfs udf vfat xfs zfs'.split(
    ' ',
  ),
)
/** The maximum number of concurrent calls on one drive: more are not faster. */
const maxCalls = 16
/** How often to check whether any call has ended. */
const lookMs = 1_000
/** A drive hangs if reading its free space takes longer: servers answer that from memory. */
const patienceMs = 3_000
/** Calls that probes and listings of buckets wait for. They change nothing, so their results can be ignored. */
const impatient = new Set<PropertyKey>(['check', 'bucketCreatedAtMs', 'quota'])
/** As `patienceMs`, for these calls: probes have to reply within two seconds. */
const impatientMs = 800
const impatientLookMs = 300
/** Calls that do not use the file system, or that end something that has begun. */
const passed = new Set<PropertyKey>(
  'abilities close hasMore seek statistics trashes isVersionId'.split(' '),
)

/** The file calls of one drive in the thread pool, if its file system may hang. */
export class FileCalls {
  readonly #path: string
  readonly #limiter = new Limiter(0)
  #running = 0
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined
  #askedAtMs: number | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Whether the server of the file system does not respond. */
  get isHanging(): boolean {
    return this.#isSilent(patienceMs)
  }

  #isSilent(limitMs: number): boolean {
    return this.#askedAtMs !== undefined && performance.now() - this.#askedAtMs > limitMs
  }

  limit(calls: number): void {
    this.#limiter.resize(calls)
  }

  /** Runs a call when fewer than the limit are running. So calls that hang leave threads to others. */
  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#running += 1
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref()
    try {
      return await this.#limiter.run(undefined, call)
    } finally {
      this.#running -= 1
      this.#hasEnded = true
    }
  }

  /** Asks the server if no call has ended. A single call, such as the sync of a large file, may take minutes. */
  #look(): void {
    if (this.#running === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    } else if (!this.#hasEnded) {
      this.#ask()
    }
    this.#hasEnded = false
  }

  #ask(): void {
    if (this.#askedAtMs !== undefined) return
    this.#askedAtMs = performance.now()
    // Not answered from a cache of this machine.
    nodeFs.statfs(this.#path, () => {
      this.#askedAtMs = undefined
    })
  }

  /** Settles as the call, or rejects soon if the server does not respond. Waits for a disk that has to spin up. */
  async impatiently<Result>(call: Promise<Result>): Promise<Result> {
    const silent = new AbortController()
    const timer = setInterval(() => {
      if (this.#isSilent(impatientMs)) silent.abort(noAnswer())
      else this.#ask()
    }, impatientLookMs)
    return await untilAborted(call, silent.signal).finally(() => clearInterval(timer))
  }
}

/** By root folder, for all drives of this process on file systems that may hang. They stay if a drive is opened again. */
const callsByRoot = new Map<string, FileCalls>()
/** By open descriptor. */
const callsByFd = new Map<number, FileCalls>()

/**
 * The calls on the file system of a folder; undefined if it is on a disk. All such drives together leave threads of the
 * pool to everything else.
 *
 * @param root without symbolic links
 */
export function fileCallsOf(root: string): FileCalls | undefined {
  const hasMounts = nodeFs.existsSync(mountsFile)
  if (hasMounts && !mayHang(root, nodeFs.readFileSync(mountsFile, 'utf8'))) return undefined
  const calls = callsByRoot.get(root) ?? new FileCalls(root)
  callsByRoot.set(root, calls)
  const share = Math.floor(threadPoolSize / (callsByRoot.size + 1))
  // One thread of each share is for asking whether the server responds.
  for (const one of callsByRoot.values()) one.limit(Math.max(1, Math.min(maxCalls, share - 1)))
  return calls
}

/**
 * Whether a call in the folder may wait for a server, as on NFS, SMB and FUSE. Such a call may never return, so it must not
 * be synchronous.
 *
 * @param mounts the text of /proc/self/mountinfo
 */
export function mayHang(folder: string, mounts: string): boolean {
  let nearest = { point: '', type: '' }
  for (const [, escaped = '', type = ''] of mounts.matchAll(mountPattern)) {
    const point = escaped.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)))
    if (isWithin(folder, point)) {
      if (point.length >= nearest.point.length) nearest = { point, type }
    } else if (isWithin(point, folder) && !diskTypes.has(type)) {
      return true
    }
  }
  return !diskTypes.has(nearest.type)
}

/** The mount point and the type. A later line hides an earlier one. */
const mountPattern = /^\S+ \S+ \S+ \S+ (\S+) .*? - (\S+) /gm

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Wraps a call whose first parameter is a path or a descriptor: it waits for the limit of its drive. */
export function limited<Given extends unknown[], Result>(
  call: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return (...given) => {
    return callsAt(given[0])?.run(() => call(...given)) ?? call(...given)
  }
}

function callsAt(target: unknown): FileCalls | undefined {
  if (typeof target === 'number') return callsByFd.get(target)
  if (callsByRoot.size === 0 || typeof target !== 'string') return undefined
  const descriptor = /^\/proc\/\d+\/fd\/(\d+)/.exec(target)?.[1]
  if (descriptor !== undefined) return callsByFd.get(Number(descriptor))
  for (const [root, calls] of callsByRoot) if (isWithin(target, root)) return calls
  return undefined
}

const openNow = promisify(nodeFs.open)
const closeNow = (fd: number): Promise<void> => promisify(nodeFs.close)(fd)

export async function openFile(path: string, flags: number, mode?: number): Promise<number> {
  const calls = callsAt(path)
  const fd = await (calls?.run(() => openNow(path, flags, mode)) ?? openNow(path, flags, mode))
  if (calls !== undefined) callsByFd.set(fd, calls)
  return fd
}

export function closeFile(fd: number): Promise<void> {
  const calls = callsByFd.get(fd)
  // Before the descriptor can be reused.
  callsByFd.delete(fd)
  return calls?.run(() => closeNow(fd)) ?? closeNow(fd)
}

/** node:fs, with the limits of drives that may hang. Use it instead of node:fs for the files of a drive. */
export const fs: typeof nodeFs = Object.create(nodeFs, {
  promises: {
    value: new Proxy(nodeFs.promises, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        const isCall = typeof value === 'function'
        return isCall ? limited(value as (...given: unknown[]) => Promise<unknown>) : value
      },
    }),
  },
})

/**
 * The drive, or a part of it, whose calls reject immediately while the drive hangs. Calls that began earlier wait: their
 * system calls can't be cancelled, and may write to their buffers at any time.
 */
export function refusing<Target extends object>(target: Target, calls: FileCalls): Target {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name === 'uploads') return refusing(value as Drive['uploads'], calls)
      if (typeof value !== 'function' || passed.has(name)) return value
      return (...given: unknown[]) => {
        const call = () => Reflect.apply(value, target, given)
        if (name === 'list' || name === 'listVersions') return refusing(call(), calls)
        if (calls.isHanging) return Promise.reject(noAnswer())
        return impatient.has(name) ? calls.impatiently(call()) : call()
      }
    },
  })
}

function noAnswer(): DriveError {
  const message = 'The file system of the drive does not respond.'
  return new DriveError(
    'unavailable',
    `${message} Check its server and the network, then try again.`,
  )
}

/**
 * Waits until all have settled, then throws the first error, if any. Unlike with Promise.all, none is still running on a
 * descriptor that the caller closes next.
 */
export async function allDone(work: Iterable<Promise<unknown> | undefined>): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason
  }
}
