import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Drive, ObjectName } from '../../src/storage/drives/drive.ts'
import { DriveError, notEmpty } from '../../src/storage/drives/drive-error.ts'
import { defineDrive } from '../../src/storage/drives/kit/define/define-drive.ts'
import type { CoreDraft, CoreObject } from '../../src/storage/drives/kit/define/drive-core.ts'
import { pathOfKey } from '../../src/storage/drives/kit/names/key-path.ts'
import { asciiJson } from '../../src/storage/drives/kit/stored-attributes.ts'
import type { StagedUploads } from '../../src/storage/drives/kit/uploads/staged-uploads.ts'
import { withDriveErrors } from '../../src/storage/drives/local/fs-error.ts'

const blockBytes = 512

/** An entry of the log: of a bucket, or of an object if it has a key. */
interface TarRecord extends Partial<Omit<CoreObject, 'size'>> {
  readonly bucket: string
  readonly key?: string
  readonly isRemoved?: true
  readonly createdAtMs?: number
}

interface TarBucket {
  readonly createdAtMs: number
  readonly objects: Map<string, CoreObject & { readonly at: number }>
}

/**
 * Buckets in one tar file: an example of `defineDrive`. The file is a log: a later member of the same name counts,
 * and removals are noted, so the space of former objects is not freed. One process may use it at a time.
 */
export async function openTarDrive(path: string, uploads: StagedUploads): Promise<Drive> {
  const log = await new TarLog(await open(path, 'a+')).load()
  return defineDrive({
    ...{ kind: 'tar', uploads },
    async addBucket(bucket) {
      if (!log.buckets.has(bucket)) await log.append({ bucket, createdAtMs: Date.now() })
    },
    async removeBucket(bucket) {
      if (!log.buckets.has(bucket)) return false
      if (log.bucket(bucket).objects.size > 0) throw notEmpty(bucket)
      await log.append({ bucket, isRemoved: true })
      return true
    },
    bucketCreatedAtMs: async (bucket) => log.bucket(bucket).createdAtMs,
    async objects(bucket) {
      return [...log.bucket(bucket).objects].map(([key, { size, modifiedAtMs, attributes }]) => {
        return { kind: 'object', key, size, modifiedAtMs, etag: attributes.etag }
      })
    },
    async open(bucket, key) {
      const found = log.bucket(bucket).objects.get(key)
      if (found === undefined) return undefined
      const { at } = found
      const read = (start: number, end: number) => bytesOf(log.file, at + start, at + end)
      return { ...found, read, close: () => Promise.resolve() }
    },
    draft: (bucket, key) => startDraft(log, { bucket, key }, `${path}.draft-${randomUUID()}`),
    async remove(bucket, key) {
      if (!log.bucket(bucket).objects.has(key)) return undefined
      await log.append({ bucket, key, isRemoved: true })
      return {}
    },
    close: () => log.file.close(),
  })
}

/** Collects the bytes in another file: a tar file has the size of a member before its bytes. */
async function startDraft(log: TarLog, name: ObjectName, path: string): Promise<CoreDraft> {
  const file = await open(path, 'wx+')
  return {
    write: (chunk) => withDriveErrors('collect', () => file.appendFile(chunk)),
    async publish(attributes, uploadId) {
      const stored = { attributes, uploadId, modifiedAtMs: Date.now() }
      const append = () => log.append({ ...name, ...stored }, file)
      return { ...stored, size: await withDriveErrors('append to the archive', append) }
    },
    async discard() {
      await file.close()
      await rm(path)
    },
  }
}

class TarLog {
  readonly file: FileHandle
  readonly buckets = new Map<string, TarBucket>()
  #end = 0

  constructor(file: FileHandle) {
    this.file = file
  }

  /** Reads the log. A record that was cut off by a crash is overwritten. */
  async load(): Promise<this> {
    const { size } = await this.file.stat()
    for (let next = await this.#read(); next && next.end <= size; next = await this.#read()) {
      this.#apply(next.record, next)
      this.#end = next.end
    }
    await this.file.truncate(this.#end)
    return this
  }

  bucket(name: string): TarBucket {
    const bucket = this.buckets.get(name)
    if (bucket !== undefined) return bucket
    throw new DriveError('no-bucket', `The archive has no bucket ${name}.`)
  }

  /** Appends a record, and the bytes of an object if there are any. Returns their number. */
  async append(record: TarRecord, draft?: FileHandle): Promise<number> {
    const { bucket, key = '' } = record
    if (key !== '') this.bucket(bucket)
    const size = draft === undefined ? 0 : (await draft.stat()).size
    const path = `${bucket}/${pathOfKey(key).natural.join('/')}`
    const head = memberHead({ path, 'BUCKETRY.record': asciiJson(record) }, size)
    // An append that failed may have left bytes.
    await this.file.truncate(this.#end)
    await this.file.appendFile(head)
    if (draft !== undefined) await this.file.appendFile(bytesOf(draft, 0, size))
    await this.file.appendFile(Buffer.alloc(padded(size) - size))
    await this.file.sync()
    this.#apply(record, { at: this.#end + head.length, size })
    this.#end += head.length + padded(size)
    return size
  }

  #apply(
    { bucket, key, ...stored }: TarRecord,
    { at, size }: { readonly at: number; readonly size: number },
  ): void {
    const { isRemoved, attributes, modifiedAtMs = 0, createdAtMs = 0 } = stored
    const objects = this.buckets.get(bucket)?.objects
    if (key !== undefined && attributes === undefined) objects?.delete(key)
    else if (key !== undefined && attributes !== undefined) {
      objects?.set(key, { ...stored, attributes, modifiedAtMs, at, size })
    } else if (isRemoved) this.buckets.delete(bucket)
    else this.buckets.set(bucket, { createdAtMs, objects: new Map() })
  }

  /** The record at the end of what has been read; undefined if there is none. */
  async #read() {
    const head = await this.#text(this.#end, blockBytes)
    const text = await this.#text(this.#end + blockBytes, sizeIn(head))
    const [, json] = /BUCKETRY\.record=(.*)\n$/.exec(text) ?? []
    if (json === undefined) return undefined
    const at = this.#end + 2 * blockBytes + padded(sizeIn(head))
    const size = sizeIn(await this.#text(at - blockBytes, blockBytes))
    return { record: JSON.parse(json) as TarRecord, at, size, end: at + padded(size) }
  }

  async #text(at: number, length: number): Promise<string> {
    return (await this.file.read(Buffer.alloc(length), 0, length, at)).buffer.toString()
  }
}

/** A stream includes its end. */
function bytesOf(file: FileHandle, start: number, end: number): AsyncIterable<Uint8Array> {
  if (start === end) return Readable.from([])
  return file.createReadStream({ start, end: end - 1, autoClose: false })
}

/** The header of a member, behind a pax header (POSIX, "pax Interchange Format") with its name and our record. */
function memberHead(records: Readonly<Record<string, string>>, size: number): Buffer {
  const lines = Object.entries(records).map(([name, value]) => {
    const rest = Buffer.byteLength(` ${name}=${value}\n`)
    const digits = String(rest + String(rest).length).length
    return `${rest + digits} ${name}=${value}\n`
  })
  const text = Buffer.from(lines.join(''))
  const block = Buffer.concat([text], padded(text.length))
  return Buffer.concat([header('x', text.length), block, header('0', size)])
}

function header(type: 'x' | '0', size: number): Buffer {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  const block = Buffer.alloc(blockBytes)
  const numbers = [octal(0o644, 7), octal(0, 7), octal(0, 7), octal(size, 11), octal(0, 11)]
  block.write(`${numbers.join('')}        ${type}`, 100)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)} `, 148)
  return block
}

function sizeIn(head: string): number {
  return Number.parseInt(head.slice(124, 135), 8) || 0
}

function padded(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes
}
