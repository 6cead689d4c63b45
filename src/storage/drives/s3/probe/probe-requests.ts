import { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { bareEtag, type Store } from '../requests/store.ts'
import type { NativeConditions } from '../requests/store-abilities.ts'
import { isRefusal } from '../requests/store-errors.ts'
import { copySource, type StoreName } from '../requests/store-names.ts'

/** Garage copies no parts of objects below 3 KiB. */
export const probeBytes = Buffer.alloc(4096, 'bucketry')
/** Enough that a server begins to store the body before its end. */
const cutBytes = Buffer.alloc(1024 * 1024)
/** The maximum time for a store to notice that a connection has ended. */
const cutMs = 10_000

/** The source of a copy must be one version (API reference, CopyObject). */
interface SourceCondition {
  readonly CopySourceIfMatch: string
}

type CopyConditions = NativeConditions | SourceCondition
type PartSource = SourceCondition & { readonly name: string }

type ProbeUpload = NativeConditions & {
  readonly from?: PartSource
  /** Adds another part, which Complete omits. */
  readonly hasOther?: boolean
}

/** Ends the connection before its last byte, like a process that is killed. Replies can still arrive. */
class CutBody extends Readable {
  /** A reused connection may have been closed by the store. */
  isCutOnNewConnection = false

  override pipe<Target extends NodeJS.WritableStream>(request: Target): Target {
    if (request instanceof ClientRequest) {
      request.write(cutBytes, () => {
        this.isCutOnNewConnection = !request.reusedSocket
        request.socket?.end()
      })
    }
    return request
  }
}

interface ProbeVersion {
  readonly Key?: string | undefined
  readonly VersionId?: string | undefined
  readonly LastModified?: Date | undefined
}

/** The requests of a probe. All names are in the probe's folder. */
export class ProbeRequests {
  readonly #store: Store
  readonly #folder: StoreName
  /** Delete markers of keys that begin with a slash. */
  readonly #outside: StoreName[] = []

  constructor(store: Store, folder: StoreName) {
    this.#store = store
    this.#folder = folder
  }

  /** @returns the ETag */
  async put(name: string, more: Partial<PutObjectCommandInput> = {}) {
    const command = new PutObjectCommand({ ...this.#at(name), Body: probeBytes, ...more })
    return bareEtag((await this.#store.send(command)).ETag)
  }

  /** Whether the store refuses a PUT that breaks off. False also after any other failure. */
  async isCutRefused(name: string): Promise<boolean> {
    const Body = new CutBody()
    const ContentLength = cutBytes.length + 1
    const ending = new AbortController()
    try {
      const command = new PutObjectCommand({ ...this.#at(name), Body, ContentLength })
      await this.#store.send(command, { ending, limitMs: cutMs })
      return false
    } catch (error) {
      return Body.isCutOnNewConnection && isRefusal(error)
    } finally {
      ending.abort()
    }
  }

  async copy(from: string, to: string, conditions: CopyConditions): Promise<void> {
    const CopySource = copySource(this.#at(from))
    const command = new CopyObjectCommand({ ...this.#at(to), CopySource, ...conditions })
    await this.#store.send(command)
  }

  async head(name: string): Promise<HeadObjectCommandOutput> {
    const command = new HeadObjectCommand(this.#at(name))
    return await this.#store.send(command)
  }

  async remove(name: string, conditions: Pick<NativeConditions, 'IfMatch'> = {}): Promise<void> {
    const command = new DeleteObjectCommand({ ...this.#at(name), ...conditions })
    await this.#store.send(command)
  }

  /** Removes the object whose key has an additional slash at the beginning. */
  async removeBehindSlash(name: string): Promise<void> {
    const { Bucket, Key: key } = this.#at(name)
    const Key = `/${key}`
    const { DeleteMarker, VersionId } = await this.#store.send(
      new DeleteObjectCommand({ Bucket, Key }),
    )
    if (DeleteMarker) this.#outside.push({ Bucket, Key, VersionId })
  }

  async exists(name: string): Promise<boolean> {
    return (await this.list(name)).includes(name)
  }

  /** A multipart upload with one part, which is completed or aborted. @returns the part's ETag */
  async upload(
    name: string,
    { from, hasOther = false, ...conditions }: ProbeUpload = {},
  ): Promise<string> {
    const object = this.#at(name)
    const { UploadId } = await this.#store.send(new CreateMultipartUploadCommand(object))
    const upload = { ...object, UploadId }
    try {
      const part = await this.#part(upload, 1, from)
      if (hasOther) await this.#part(upload, 2)
      const complete = { ...upload, MultipartUpload: { Parts: [part] }, ...conditions }
      await this.#store.send(new CompleteMultipartUploadCommand(complete))
      return bareEtag(part.ETag)
    } catch (error) {
      await this.#store.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
      throw error
    }
  }

  /** Names with this prefix, after `after`. @param MaxKeys undefined: all on one page */
  async list(prefix: string, after?: string, MaxKeys?: number): Promise<string[]> {
    const { Bucket, Key } = this.#folder
    const command = new ListObjectsV2Command({
      ...{ Bucket, Prefix: Key + prefix },
      ...(after !== undefined && { StartAfter: Key + after }),
      MaxKeys,
    })
    const found = await this.#store.send(command)
    return (found.Contents ?? []).map((one) => (one.Key ?? '').slice(Key.length))
  }

  /** Removes older objects, at most a thousand, with their versions. */
  async removeAll(olderThanMs: number): Promise<void> {
    const { Bucket, Key: Prefix } = this.#folder
    const { Contents = [] } = await this.#store.send(new ListObjectsV2Command({ Bucket, Prefix }))
    const found: readonly ProbeVersion[] = (await this.#versions()) ?? Contents
    for (const { Key, VersionId, LastModified = new Date(0) } of found) {
      if (olderThanMs > 0 && LastModified.getTime() > Date.now() - olderThanMs) continue
      await this.#store.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
    }
    for (const marker of this.#outside.splice(0)) {
      await this.#store.send(new DeleteObjectCommand(marker))
    }
  }

  /** Undefined if the bucket never had versions, or the access key lacks the right to list them. */
  async #versions(): Promise<readonly ProbeVersion[] | undefined> {
    const { Bucket, Key: Prefix } = this.#folder
    try {
      const { Status } = await this.#store.send(new GetBucketVersioningCommand({ Bucket }))
      if (Status === undefined) return undefined
      const page = await this.#store.send(new ListObjectVersionsCommand({ Bucket, Prefix }))
      return [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]
    } catch {
      return undefined
    }
  }

  async #part(
    upload: StoreName & { readonly UploadId: string | undefined },
    PartNumber: number,
    from?: PartSource,
  ): Promise<CompletedPart> {
    const part = { ...upload, PartNumber }
    if (from === undefined) {
      const command = new UploadPartCommand({ ...part, Body: probeBytes })
      const { ETag } = await this.#store.send(command)
      return { PartNumber, ETag }
    }
    const { name, CopySourceIfMatch } = from
    const source = { CopySource: copySource(this.#at(name)), CopySourceIfMatch }
    const command = new UploadPartCopyCommand({ ...part, ...source })
    const { CopyPartResult } = await this.#store.send(command)
    return { PartNumber, ETag: CopyPartResult?.ETag }
  }

  #at(name: string): StoreName {
    const { Bucket, Key } = this.#folder
    return { Bucket, Key: Key + name }
  }
}
