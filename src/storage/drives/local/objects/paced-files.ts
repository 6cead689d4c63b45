import type { Stats } from 'node:fs'
import { promisify } from 'node:util'
import { closeFile, fs, limited, openFile } from '../file-calls.ts'
import { isAbsent, unlessAbsent } from '../fs-error.ts'
import { Pace } from './pace.ts'

const { constants } = fs

/**
 * Opening does not follow a link in the last component, does not wait for the other end of a FIFO, and
 * does not make a terminal the controlling terminal.
 */
export const safeOpenFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
export const readFlags = constants.O_RDONLY | safeOpenFlags
export const folderOpenFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** For an empty file, which may exist. */
export const markFlags = constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW
export const createFlags =
  constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_NOFOLLOW

const [fstat, read, write] = [promisify(fs.fstat), promisify(fs.read), promisify(fs.write)]
const fstatAsync = limited((fd: number) => fstat(fd))
const readAsync = limited((fd: number, ...into: readonly [Uint8Array, number, number, number]) =>
  read(fd, ...into),
)
const writeAsync = limited((fd: number, ...from: readonly [Uint8Array, number, number, number]) =>
  write(fd, ...from),
)
const futimesAsync = limited(promisify(fs.futimes))

export type Paced<T> = T | Promise<T>

/**
 * The file system calls of every request, each in the form that is faster at the moment (see Pace).
 * Files are plain descriptors, which both forms can use.
 */
export class PacedFiles {
  /** Whether a call may never return (file-calls.ts). */
  readonly mayHang: boolean
  readonly #reads: Pace
  readonly #writes: Pace

  constructor(mayHang: boolean) {
    this.mayHang = mayHang
    this.#reads = new Pace(mayHang)
    this.#writes = new Pace(mayHang)
  }

  /** Runs a few short reading calls as one; returns undefined instead while they might be slow. */
  readsNow<T>(sync: () => T): T | undefined {
    return this.#reads.tryNow(sync)
  }

  /** Undefined if nothing exists at the path. */
  lstat(path: string): Paced<Stats | undefined> {
    return this.#reads.run(
      () => lstatNow(path),
      () => unlessAbsent(() => fs.promises.lstat(path)),
    )
  }

  open(path: string, flags: number, mode = 0o666): Paced<number> {
    return this.#reads.run(
      () => fs.openSync(path, flags, mode),
      () => openFile(path, flags, mode),
    )
  }

  /**
   * Always in the thread pool: a new file needs an inode, for which ext4 checks all that were freed in the last seconds,
   * and space in a journal that other writers sync.
   */
  create(path: string): Promise<number> {
    return openFile(path, createFlags, 0o666)
  }

  fstat(fd: number): Paced<Stats> {
    return this.#reads.run(
      () => fs.fstatSync(fd),
      () => fstatAsync(fd),
    )
  }

  readlink(path: string): Paced<string> {
    return this.#reads.run(
      () => fs.readlinkSync(path),
      () => fs.promises.readlink(path),
    )
  }

  /** Fills the buffer from `position`, or up to the end of the file. Returns the number of bytes. */
  read(fd: number, buffer: Uint8Array, position: number): Paced<number> {
    return this.#reads.run(
      () => readFullyNow(fd, buffer, position),
      () => readFully(fd, buffer, position),
    )
  }

  /** Writes all of the buffer. */
  write(fd: number, buffer: Uint8Array, position: number): Paced<void> {
    return this.#writes.run(
      () => writeFullyNow(fd, buffer, position),
      () => writeFully(fd, buffer, position),
    )
  }

  /** @param timeMs milliseconds since the epoch, with a fraction. */
  setModified(fd: number, timeMs: number): Paced<void> {
    return this.#writes.run(
      () => fs.futimesSync(fd, timeMs / 1000, timeMs / 1000),
      () => futimesAsync(fd, timeMs / 1000, timeMs / 1000),
    )
  }

  close(fd: number): Paced<void> {
    return this.#reads.run(
      () => fs.closeSync(fd),
      () => closeFile(fd),
    )
  }

  rename(from: string, to: string): Paced<void> {
    return this.#writes.run(
      () => fs.renameSync(from, to),
      () => fs.promises.rename(from, to),
    )
  }

  link(from: string, to: string): Paced<void> {
    return this.#writes.run(
      () => fs.linkSync(from, to),
      () => fs.promises.link(from, to),
    )
  }

  unlink(path: string): Paced<void> {
    return this.#writes.run(
      () => fs.unlinkSync(path),
      () => fs.promises.unlink(path),
    )
  }
}

export const fsyncFile: (fd: number) => Promise<void> = limited(promisify(fs.fsync))
export const fdatasyncFile: (fd: number) => Promise<void> = limited(promisify(fs.fdatasync))
export const truncateFile: (fd: number, size: number) => Promise<void> = limited(
  promisify(fs.ftruncate),
)

/** For a large file: the call frees its blocks and its page cache, 25 ms for 64 MiB. */
export const unlinkLarge = (path: string): Promise<void> => fs.promises.unlink(path)

/** As PacedFiles.read, always in the thread pool: for long reads. */
export async function readFully(fd: number, buffer: Uint8Array, position: number): Promise<number> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await readAsync(
      fd,
      buffer,
      filled,
      buffer.length - filled,
      position + filled,
    )
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** As `readFully`, synchronously. */
export function readFullyNow(fd: number, buffer: Uint8Array, position: number): number {
  let filled = 0
  while (filled < buffer.length) {
    const count = fs.readSync(fd, buffer, filled, buffer.length - filled, position + filled)
    if (count === 0) break
    filled += count
  }
  return filled
}

/** As PacedFiles.write, always in the thread pool. */
export async function writeFully(fd: number, buffer: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < buffer.length) {
    const rest = buffer.length - done
    const { bytesWritten } = await writeAsync(fd, buffer, done, rest, position + done)
    done += bytesWritten
  }
}

/** As `writeFully`, synchronously. */
export function writeFullyNow(fd: number, buffer: Uint8Array, position: number): void {
  let done = 0
  while (done < buffer.length) {
    done += fs.writeSync(fd, buffer, done, buffer.length - done, position + done)
  }
}

function lstatNow(path: string): Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
