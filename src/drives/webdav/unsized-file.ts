import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DriveError } from '../drive.ts'

/** Bytes that wait on this machine until it is known how many they are. */
export class UnsizedFile {
  readonly #handle: FileHandle
  readonly #maxBytes: number
  #size = 0

  private constructor(handle: FileHandle, maxBytes: number) {
    this.#handle = handle
    this.#maxBytes = maxBytes
  }

  /** The file has no name any more when this resolves, so that it goes with the process. */
  static async create(folder: string, maxBytes: number): Promise<UnsizedFile> {
    const path = join(folder, `unsized-${randomBytes(9).toString('base64url')}`)
    try {
      await mkdir(folder, { recursive: true })
      const handle = await open(path, 'wx+', 0o600)
      await rm(path)
      return new UnsizedFile(handle, maxBytes)
    } catch (cause) {
      throw new DriveError('unavailable', `Could not write into ${folder}.`, { cause })
    }
  }

  get size(): number {
    return this.#size
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#size + chunk.length > this.#maxBytes) {
      const message = `Objects of unknown size may have ${this.#maxBytes} bytes on this server.`
      throw new DriveError('full', message)
    }
    for (let written = 0; written < chunk.length; ) {
      // A disk takes as much as it has room for, and says so (write(2)).
      const bytes = await this.#writeSome(chunk.subarray(written))
      if (bytes === 0) throw noRoom()
      written += bytes
      this.#size += bytes
    }
  }

  read(): Readable {
    return this.#handle.createReadStream({ start: 0, autoClose: false })
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  async #writeSome(bytes: Uint8Array): Promise<number> {
    try {
      return (await this.#handle.write(bytes, 0, bytes.length, this.#size)).bytesWritten
    } catch (error) {
      throw noRoom(error)
    }
  }
}

function noRoom(cause?: unknown): DriveError {
  const message = 'There is no room on this machine for an object of unknown size.'
  return new DriveError('full', message, { cause })
}
