import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { bareEtag } from './object-fields.ts'
import type { Store } from './store.ts'
import type { NativeConditions } from './store-abilities.ts'
import { copySource, type StoreName } from './store-names.ts'

const Body = Buffer.from('bucketry')

/** The requests of a probe. All names are in its folder. */
export class ProbeRequests {
  readonly #store: Store
  readonly #folder: StoreName

  constructor(store: Store, folder: StoreName) {
    this.#store = store
    this.#folder = folder
  }

  /** Resolves with the ETag. */
  async put(name: string, more: Partial<PutObjectCommandInput> = {}) {
    const command = new PutObjectCommand({ ...this.#at(name), Body, ...more })
    return bareEtag((await this.#send((client, options) => client.send(command, options))).ETag)
  }

  async copy(from: string, to: string, conditions: NativeConditions): Promise<void> {
    const CopySource = copySource(this.#at(from))
    const command = new CopyObjectCommand({ ...this.#at(to), CopySource, ...conditions })
    await this.#send((client, options) => client.send(command, options))
  }

  async checksumOf(name: string): Promise<string | undefined> {
    const command = new HeadObjectCommand(this.#at(name))
    return (await this.#send((client, options) => client.send(command, options))).ChecksumCRC32
  }

  async remove(name: string, conditions: Pick<NativeConditions, 'IfMatch'> = {}): Promise<void> {
    const command = new DeleteObjectCommand({ ...this.#at(name), ...conditions })
    await this.#send((client, options) => client.send(command, options))
  }

  async exists(name: string): Promise<boolean> {
    return (await this.list(name)).includes(name)
  }

  /** An upload of one part, which is completed or aborted. Resolves with the ETag of the part. */
  async upload(
    name: string,
    { from, ...conditions }: NativeConditions & { readonly from?: string } = {},
  ): Promise<string> {
    const object = this.#at(name)
    const { UploadId } = await this.#send((client, options) =>
      client.send(new CreateMultipartUploadCommand(object), options),
    )
    const upload = { ...object, UploadId }
    try {
      const part = await this.#part(upload, from)
      const complete = { ...upload, MultipartUpload: { Parts: [part] }, ...conditions }
      await this.#send((client, options) =>
        client.send(new CompleteMultipartUploadCommand(complete), options),
      )
      return bareEtag(part.ETag)
    } catch (error) {
      await this.#send((client, options) =>
        client.send(new AbortMultipartUploadCommand(upload), options),
      ).catch(() => undefined)
      throw error
    }
  }

  /** Names that begin with `prefix`, after another. */
  async list(prefix: string, after?: string): Promise<string[]> {
    const { Bucket, Key } = this.#folder
    const command = new ListObjectsV2Command({
      ...{ Bucket, Prefix: Key + prefix },
      ...(after !== undefined && { StartAfter: Key + after }),
    })
    const found = await this.#send((client, options) => client.send(command, options))
    return (found.Contents ?? []).map((one) => (one.Key ?? '').slice(Key.length))
  }

  /** Removes what is older, at most a thousand objects. */
  async removeAll(olderThanMs: number): Promise<void> {
    const { Bucket, Key: Prefix } = this.#folder
    const { Contents = [] } = await this.#send((client, options) =>
      client.send(new ListObjectsV2Command({ Bucket, Prefix }), options),
    )
    for (const { Key, LastModified = new Date(0) } of Contents) {
      if (olderThanMs > 0 && LastModified.getTime() > Date.now() - olderThanMs) continue
      await this.#send((client, options) =>
        client.send(new DeleteObjectCommand({ Bucket, Key }), options),
      )
    }
  }

  async #part(
    upload: StoreName & { readonly UploadId: string | undefined },
    from: string | undefined,
  ): Promise<CompletedPart> {
    const part = { ...upload, PartNumber: 1 }
    if (from === undefined) {
      const command = new UploadPartCommand({ ...part, Body })
      const { ETag } = await this.#send((client, options) => client.send(command, options))
      return { PartNumber: 1, ETag }
    }
    const command = new UploadPartCopyCommand({ ...part, CopySource: copySource(this.#at(from)) })
    const { CopyPartResult } = await this.#send((client, options) => client.send(command, options))
    return { PartNumber: 1, ETag: CopyPartResult?.ETag }
  }

  #send<Result>(
    work: (
      client: Store['client'],
      options: { readonly abortSignal: AbortSignal },
    ) => Promise<Result>,
  ): Promise<Result> {
    return this.#store.call((options) => work(this.#store.client, options))
  }

  #at(name: string): StoreName {
    const { Bucket, Key } = this.#folder
    return { Bucket, Key: Key + name }
  }
}
