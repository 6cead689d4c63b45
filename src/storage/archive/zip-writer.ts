import { crc32 } from 'node:zlib'
import type { Borrow } from '../drives/drive.ts'
import {
  dataDescriptor,
  directoryRecord,
  endRecords,
  localHeader,
  type ZipFile,
} from './zip-records.ts'

/** Headers and short files are sent together. */
const bufferBytes = 64 * 1024

/** The directory is in memory until the end: about 600,000 files with names of 50 bytes. */
const maxDirectoryBytes = 64 * 1024 * 1024

/** Writes a ZIP file in order, in the memory of its names. */
export class ZipWriter {
  readonly #write: Borrow
  readonly #buffer = Buffer.alloc(bufferBytes)
  #buffered = 0
  #offset = 0
  #files = 0
  readonly #directory: Buffer[] = []
  /** The end of the directory, which is not full. */
  #page = Buffer.alloc(0)
  #pageLength = 0
  #directoryBytes = 0

  /** @param write takes the bytes in order, which it may use until its promise settles */
  constructor(write: Borrow) {
    this.#write = write
  }

  /**
   * Adds a file, or a folder, whose name ends in a slash.
   *
   * @param lend lends the bytes of the file, in order
   * @throws if the bytes are not as many as `size`, or the archive has too many files; then it can't be completed
   */
  async add(file: ZipFile, lend: (borrow: Borrow) => Promise<void>): Promise<void> {
    const offset = this.#offset
    await this.#put(localHeader(file))
    let [crc, bytes] = [0, 0]
    await lend(async (chunk) => {
      crc = crc32(chunk, crc)
      bytes += chunk.length
      await this.#put(chunk)
    })
    if (bytes !== file.size) throw new Error(`a file has ${bytes} bytes, expected ${file.size}`)
    await this.#put(dataDescriptor({ size: bytes, crc }))
    this.#note(directoryRecord({ ...file, crc, offset }))
  }

  /** Writes the directory. Without it no program takes the archive for complete. */
  async end(): Promise<void> {
    const [files, offset, bytes] = [this.#files, this.#offset, this.#directoryBytes]
    for (const page of this.#directory) await this.#put(page)
    await this.#put(this.#page.subarray(0, this.#pageLength))
    await this.#put(endRecords({ files, offset, bytes }))
    await this.#flush()
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length
    if (this.#buffered + bytes.length > bufferBytes) await this.#flush()
    if (bytes.length >= bufferBytes) return await this.#write(bytes)
    this.#buffer.set(bytes, this.#buffered)
    this.#buffered += bytes.length
  }

  async #flush(): Promise<void> {
    if (this.#buffered === 0) return
    await this.#write(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  /** In pages, because a small buffer for each record takes five times its bytes. */
  #note(record: Buffer): void {
    this.#files += 1
    this.#directoryBytes += record.length
    if (this.#directoryBytes > maxDirectoryBytes) throw new Error('too many files for an archive')
    if (this.#pageLength + record.length > this.#page.length) {
      this.#directory.push(this.#page.subarray(0, this.#pageLength))
      this.#page = Buffer.alloc(Math.max(bufferBytes, record.length))
      this.#pageLength = 0
    }
    this.#page.set(record, this.#pageLength)
    this.#pageLength += record.length
  }
}
