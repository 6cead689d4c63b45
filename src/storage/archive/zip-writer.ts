import { crc32 } from 'node:zlib'
import type { Borrow } from '../drives/drive.ts'

/** Headers and small files are sent together. */
const bufferBytes = 64 * 1024

/** The directory is kept in memory until the end: about 600,000 files with names of 50 bytes. */
const maxDirectoryBytes = 64 * 1024 * 1024

/** Writes a ZIP file sequentially. Only the names of its entries are held in memory. */
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
   * @throws if the number of bytes differs from `size`, or the archive has too many files; it cannot be completed then
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

  /** Writes the directory. Without it, no program takes the archive for complete. */
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

/**
 * The records of a ZIP file (PKWARE APPNOTE 6.3.10): names in UTF-8, bytes stored as they are, ZIP64 where a
 * number needs it.
 */

export interface ZipFile {
  /** In UTF-8, with `/` between segments; a folder ends in one. At most 65,535 bytes. */
  readonly name: Uint8Array
  readonly modifiedAtMs: number
  readonly size: number
}

/** A file whose bytes were written. */
interface WrittenFile extends ZipFile {
  readonly crc: number
  /** The position of its local header. */
  readonly offset: number
}

/** APPNOTE 4.4.4: the CRC follows the bytes (bit 3), the name is UTF-8 (bit 11). */
const flags = 0x0808
const stored = 0
/** APPNOTE 4.4.3.2: 4.5 is the first version with ZIP64. */
const plainVersion = 20
const zip64Version = 45
/** APPNOTE 4.4.2: made on UNIX, so that the attributes are its modes. */
const madeBy = (3 << 8) | zip64Version
const fileMode = 0o100644
const folderMode = 0o040755
/** APPNOTE 4.4.1.4: the value is in the ZIP64 field. */
const max16 = 0xffff
const max32 = 0xffffffff

function localHeader(file: ZipFile): Buffer {
  const isBig = isZip64(file.size)
  // APPNOTE 4.3.9.2: its presence says that the sizes behind the bytes have 8 bytes.
  const extra = Buffer.concat([isBig ? zip64Field([0, 0]) : Buffer.alloc(0), timeField(file)])
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isBig ? zip64Version : plainVersion, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(stored, 8)
  header.writeUInt32LE(dosTime(file.modifiedAtMs), 10)
  header.writeUInt32LE(isBig ? max32 : 0, 18)
  header.writeUInt32LE(isBig ? max32 : 0, 22)
  header.writeUInt16LE(file.name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, file.name, extra])
}

/** The record after the bytes of a file (APPNOTE 4.3.9). */
function dataDescriptor({ size, crc }: Pick<WrittenFile, 'size' | 'crc'>): Buffer {
  const isBig = isZip64(size)
  const descriptor = Buffer.alloc(isBig ? 24 : 16)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(crc, 4)
  for (const index of [0, 1]) {
    if (isBig) descriptor.writeBigUInt64LE(BigInt(size), 8 + 8 * index)
    else descriptor.writeUInt32LE(size, 8 + 4 * index)
  }
  return descriptor
}

/** The file's entry in the central directory at the end (APPNOTE 4.3.12). */
function directoryRecord(file: WrittenFile): Buffer {
  const { name, size, crc, offset } = file
  const big = [...(isZip64(size) ? [size, size] : []), ...(isZip64(offset) ? [offset] : [])]
  const extra = Buffer.concat([big.length > 0 ? zip64Field(big) : Buffer.alloc(0), timeField(file)])
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeBy, 4)
  header.writeUInt16LE(big.length > 0 ? zip64Version : plainVersion, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(stored, 10)
  header.writeUInt32LE(dosTime(file.modifiedAtMs), 12)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(Math.min(size, max32), 20)
  header.writeUInt32LE(Math.min(size, max32), 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  const isFolder = name.at(-1) === 0x2f
  header.writeUInt32LE(
    ((isFolder ? folderMode : fileMode) * 0x10000 + (isFolder ? 0x10 : 0)) >>> 0,
    38,
  )
  header.writeUInt32LE(Math.min(offset, max32), 42)
  return Buffer.concat([header, name, extra])
}

interface DirectoryPlace {
  readonly files: number
  /** Where the directory begins. */
  readonly offset: number
  readonly bytes: number
}

/** The records at the end of the archive (APPNOTE 4.3.14 to 4.3.16). */
function endRecords({ files, offset, bytes }: DirectoryPlace): Buffer {
  const isBig = files >= max16 || isZip64(offset) || isZip64(bytes)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(files, max16), 8)
  end.writeUInt16LE(Math.min(files, max16), 10)
  end.writeUInt32LE(Math.min(bytes, max32), 12)
  end.writeUInt32LE(Math.min(offset, max32), 16)
  if (!isBig) return end
  const big = Buffer.alloc(76)
  big.writeUInt32LE(0x06064b50, 0)
  // APPNOTE 4.3.14.1: the bytes of this record that follow.
  big.writeBigUInt64LE(44n, 4)
  big.writeUInt16LE(madeBy, 12)
  big.writeUInt16LE(zip64Version, 14)
  big.writeBigUInt64LE(BigInt(files), 24)
  big.writeBigUInt64LE(BigInt(files), 32)
  big.writeBigUInt64LE(BigInt(bytes), 40)
  big.writeBigUInt64LE(BigInt(offset), 48)
  big.writeUInt32LE(0x07064b50, 56)
  big.writeBigUInt64LE(BigInt(offset + bytes), 64)
  big.writeUInt32LE(1, 72)
  return Buffer.concat([big, end])
}

function isZip64(value: number): boolean {
  return value >= max32
}

/** APPNOTE 4.5.3. */
function zip64Field(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(0x0001, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries())
    field.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return field
}

/** Info-ZIP's extended timestamp: seconds since the epoch in UTC, which the DOS time cannot express. */
function timeField({ modifiedAtMs }: ZipFile): Buffer {
  const seconds = Math.floor(modifiedAtMs / 1_000)
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x5455, 0)
  field.writeUInt16LE(5, 2)
  field.writeUInt8(1, 4)
  field.writeInt32LE(Math.min(Math.max(seconds, -0x80000000), 0x7fffffff), 5)
  return field
}

/** MS-DOS time and date in UTC, in steps of two seconds from 1980 to 2107. */
function dosTime(atMs: number): number {
  const first = Date.UTC(1980, 0, 1)
  const last = Date.UTC(2107, 11, 31, 23, 59, 58)
  const at = new Date(Math.min(Math.max(atMs, first), last))
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  return date * 0x10000 + time
}
