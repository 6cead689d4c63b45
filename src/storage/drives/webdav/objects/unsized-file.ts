import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { DriveError } from '../../drive-error.ts'
import type { Spool, SpoolClaim } from '../uploads/spool.ts'

const readBytes = 64 * 1024

/** Content of unknown length, staged on this machine until its length is known. */
export class UnsizedFile {
  readonly #handle: FileHandle
  readonly #spool: Spool
  readonly #claim: SpoolClaim
  #size = 0

  private constructor(handle: FileHandle, spool: Spool) {
    this.#handle = handle
    this.#spool = spool
    this.#claim = spool.claim({ isNameless: true })
  }

  /** The file has no name when this resolves, so the system deletes it when the process ends. */
  static async create(spool: Spool): Promise<UnsizedFile> {
    const { folder } = spool
    const path = spool.namelessPath(randomBytes(9).toString('base64url'))
    try {
      await mkdir(folder, { recursive: true })
      const handle = await open(path, 'wx+', 0o600)
      // The sweep of another process may have removed it already.
      await rm(path, { force: true })
      return new UnsizedFile(handle, spool)
    } catch (cause) {
      throw new DriveError('unavailable', 'Could not write to the folder in DRIVE_SPOOL.', {
        cause,
      })
    }
  }

  /** @throws DriveError `full` when this object alone is too large, `busy` when others use the space */
  async write(chunk: Uint8Array): Promise<void> {
    const { maxBytes } = this.#spool
    if (this.#size + chunk.length > maxBytes) {
      const message = `An object of unknown size exceeds the staging limit of ${maxBytes} bytes.`
      throw new DriveError('full', message)
    }
    await this.#claim.take(chunk.length, 0)
    for (let written = 0; written < chunk.length; ) {
      // A full disk writes fewer bytes than requested (write(2)).
      const bytes = await this.#writeSome(chunk.subarray(written))
      if (bytes === 0) throw noSpace()
      written += bytes
      this.#size += bytes
    }
  }

  /** The complete content. It can be read again, regardless of the outcome of the last read. */
  read(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false })
  }

  async close(): Promise<void> {
    this.#claim.end()
    await this.#handle.close()
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < this.#size; ) {
      const buffer = Buffer.allocUnsafe(Math.min(readBytes, this.#size - position))
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0)
        throw new DriveError('unavailable', 'A file in the staging directory is truncated.')
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }

  async #writeSome(bytes: Uint8Array): Promise<number> {
    try {
      return (await this.#handle.write(bytes, 0, bytes.length, this.#size)).bytesWritten
    } catch (error) {
      throw noSpace(error)
    }
  }
}

function noSpace(cause?: unknown): DriveError {
  const message = 'There is no space on this machine to stage an object of unknown size.'
  return new DriveError('full', message, { cause })
}
