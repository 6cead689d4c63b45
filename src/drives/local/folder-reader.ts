import { Worker } from 'node:worker_threads'
import { Pace } from './pace.ts'
import { type ReadFolder, type ReadRequest, readUpTo } from './read-folder.ts'

/** A folder whose own size (its table of names) is up to this is read in about 3 ms. */
export const smallFolderBytes = 128 * 1024
/**
 * Not every file system tells a folder's size in bytes (ZFS counts entries, FUSE often says 4,096),
 * and the size says nothing about the folders of cut names inside.
 */
const smallFolderEntries = 5_000
/** The thread ends, and its memory goes, when it has had nothing to do for so long. */
const idleMs = 5_000

/** An entry is garbage as soon as its name is packed: room for more of them saves nothing. */
const maxYoungGenerationSizeMb = 2

type Answer =
  | { readonly id: number; readonly result: ReadFolder }
  | { readonly id: number; readonly code: string; readonly message: string }

interface Waiting {
  resolve(result: ReadFolder): void
  reject(error: Error): void
}

/** Reads folders: small ones at once, large ones in a thread. */
export class FolderReader {
  readonly #pace = new Pace()
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0
  readonly #waiting = new Map<number, Waiting>()

  /** @param folderBytes the folder's own size by its status. */
  async read(request: ReadRequest, folderBytes: number): Promise<ReadFolder> {
    if (folderBytes > smallFolderBytes) return await this.readInThread(request)
    const read = this.#pace.tryNow(() => readUpTo(smallFolderEntries, request))
    return read ?? (await this.readInThread(request))
  }

  readInThread(request: ReadRequest): Promise<ReadFolder> {
    clearTimeout(this.#idle)
    this.#thread ??= this.#start()
    this.#thread.ref()
    const { promise, resolve, reject } = Promise.withResolvers<ReadFolder>()
    const id = ++this.#lastId
    this.#waiting.set(id, { resolve, reject })
    this.#thread.postMessage({ id, request })
    return promise
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(new URL('./read-folder-thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb },
    })
    thread.on('message', (answer: Answer) => this.#receive(answer))
    let reason: Error = new Error('The thread that reads folders ended.')
    thread.on('error', (error: Error) => {
      reason = error
    })
    thread.on('exit', () => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      for (const { reject } of this.#waiting.values()) reject(asSystemError(reason.message, 'EIO'))
      this.#waiting.clear()
    })
    return thread
  }

  #receive(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(asSystemError(answer.message, answer.code))
    if (this.#waiting.size > 0) return
    this.#thread?.unref()
    this.#idle = setTimeout(() => this.#end(), idleMs)
    this.#idle.unref()
  }

  #end(): void {
    const thread = this.#thread
    this.#thread = undefined
    thread?.terminate().catch(() => undefined)
  }
}

function asSystemError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
