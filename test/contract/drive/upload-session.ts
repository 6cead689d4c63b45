import { randomBytes } from 'node:crypto'
import type { Attributes } from '../../../src/storage/drives/attributes.ts'
import type {
  Drive,
  ObjectMetadata,
  ObjectName,
  PartDraft,
  WriteConditions,
} from '../../../src/storage/drives/drive.ts'
import type { PartDigest } from '../../../src/storage/drives/upload-abilities.ts'
import { attributesOf, bucket, md5Of, writeChunks } from './stored-object.ts'

/** The digests of the parts in the first `size` bytes. */
function digestsOf(parts: readonly Buffer[], size: number): PartDigest[] {
  const digests: PartDigest[] = []
  let left = size
  for (const part of parts) {
    if (left === 0) break
    const bytes = part.subarray(0, left)
    digests.push({ size: bytes.length, md5: md5Of(bytes) })
    left -= bytes.length
  }
  return digests
}

/** A committed part. */
interface Committed {
  readonly state: string
  readonly parts: readonly Buffer[]
}

/**
 * An upload as the caller of a drive stores it: the state of its last stored commit, and the bytes of
 * that state.
 */
export class UploadSession {
  readonly uploadId: string
  readonly target: ObjectName
  #drive: Drive
  #stored: Committed

  private constructor(drive: Drive, uploadId: string, target: ObjectName, state: string) {
    this.#drive = drive
    this.uploadId = uploadId
    this.target = target
    this.#stored = { state, parts: [] }
  }

  static async begin(drive: Drive, key = 'a/upload'): Promise<UploadSession> {
    const uploadId = randomBytes(16).toString('base64url')
    const target = { bucket, key }
    return new UploadSession(drive, uploadId, target, await drive.uploads.begin(uploadId, target))
  }

  get state(): string {
    return this.#stored.state
  }

  get parts(): readonly Buffer[] {
    return this.#stored.parts
  }

  /** Stores the result of a commit, as the caller does. */
  store(committed: Committed): void {
    this.#stored = committed
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#stored.parts)
  }

  get attributes(): Attributes {
    return attributesOf(this.bytes)
  }

  /** Continues with another drive, as after a restart. */
  moveTo(drive: Drive): void {
    this.#drive = drive
  }

  async append(bytes: Buffer): Promise<void> {
    this.#stored = await this.appendWithoutStoring(bytes)
  }

  /** As when the process dies between the drive's commit and the database's. */
  async appendWithoutStoring(bytes: Buffer): Promise<Committed> {
    const part = await this.startAppend(bytes.length)
    await writeChunks(part, bytes)
    return { state: await part.commit(), parts: [...this.#stored.parts, bytes] }
  }

  startAppend(size: number): Promise<PartDraft> {
    return this.#drive.uploads.append(this.state, { offset: this.bytes.length, size })
  }

  async replaceLast(bytes: Buffer): Promise<void> {
    this.#stored = await this.replaceLastWithoutStoring(bytes)
  }

  async replaceLastWithoutStoring(bytes: Buffer): Promise<Committed> {
    const part = await this.startReplaceLast(bytes.length)
    await writeChunks(part, bytes)
    return { state: await part.commit(), parts: [...this.#stored.parts.slice(0, -1), bytes] }
  }

  async startReplaceLast(size: number): Promise<PartDraft> {
    const offset = this.bytes.length - (this.#stored.parts.at(-1)?.length ?? 0)
    const part = await this.#drive.uploads.replaceLast(this.state, { offset, size })
    return part
  }

  complete(
    conditions?: WriteConditions,
    size: number = this.bytes.length,
    assertHeld?: () => void,
  ): Promise<ObjectMetadata | undefined> {
    return this.#drive.uploads.complete(this.state, {
      target: this.target,
      size,
      attributes: attributesOf(this.bytes.subarray(0, size)),
      parts: async () => digestsOf(this.parts, size),
      ...(conditions && { conditions }),
      ...(assertHeld && { assertHeld }),
    })
  }

  abort(): Promise<void> {
    return this.#drive.uploads.abort(this.state)
  }
}
