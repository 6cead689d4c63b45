import type { Tags } from '../attributes.ts'
import {
  type CopyOptions,
  type CopySource,
  type Draft,
  type DraftOptions,
  type Drive,
  type DriveAccess,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type OpenObject,
  type RemovalConditions,
  type UploadDrive,
} from '../drive.ts'
import type { EntryCursor, ListQuery } from '../listed-entry.ts'
import { unsupportedTags } from '../object-tags.ts'
import type { HeadOptions, OpenOptions } from '../read-options.ts'
import { bucketOfTrash } from '../trash-bucket.ts'
import {
  areNested,
  type BucketPlace,
  type Mount,
  type MountTable,
  requireSame,
  requireWritable,
} from './mount.ts'
import { RoutedUploads } from './routed-uploads.ts'

/**
 * Several drives as one: each call goes to the drive of its bucket, under the bucket's name there. What
 * is said of the whole drive (`kind`, `deletes`, `followsChanges`, `check`, `quota`) is that of the default one.
 */
export class RoutedDrive implements Drive {
  readonly uploads: UploadDrive
  readonly #table: MountTable
  readonly #default: Mount

  /** @throws if there is no mount. */
  constructor(table: MountTable) {
    const [first] = table.mounts
    if (first === undefined) throw new Error('there is no default drive')
    this.#table = table
    this.#default = first
    this.uploads = new RoutedUploads(table.mounts, (bucket) => this.#placeOf(bucket))
  }

  get kind(): string {
    return this.#default.drive.kind
  }

  get deletes(): Drive['deletes'] {
    return this.#default.drive.deletes
  }

  get followsChanges(): boolean {
    return this.#default.drive.followsChanges ?? false
  }

  async prepare(buckets: readonly string[]): Promise<void> {
    const byMount = Map.groupBy(buckets, (bucket) => this.#placeOf(bucket).mount)
    for (const [mount, names] of byMount) {
      if (mount.isReadOnly) continue
      const places = names.map((name) => this.#placeOf(name))
      await mount.drive.prepare(places.map(({ folder }) => folder))
    }
  }

  get readsAlone(): boolean {
    return this.#default.drive.readsAlone ?? false
  }

  /** @throws DriveError `denied` if another bucket is in the folder, or the other way round */
  async addBucket(bucket: string): Promise<void> {
    const place = this.#writable(bucket)
    for (const [name, other] of this.#table.places) {
      if (name === bucket || other.mount !== place.mount) continue
      if (!areNested(place.folder, other.folder)) continue
      const message = `The folder ${place.folder} of bucket ${bucket} would share files with that of bucket ${name}.`
      throw new DriveError('denied', message)
    }
    await place.mount.drive.addBucket(place.folder)
  }

  async removeBucket(bucket: string): Promise<boolean> {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.removeBucket(folder)
  }

  async check(access?: DriveAccess): Promise<void> {
    const { drive, isReadOnly } = this.#default
    await drive.check(access === 'writes' && isReadOnly ? 'reads' : access)
  }

  async bucketCreatedAtMs(bucket: string): Promise<number> {
    const { mount, folder } = this.#placeOf(bucket)
    return await mount.drive.bucketCreatedAtMs(folder)
  }

  list(bucket: string, query: ListQuery): EntryCursor {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.list(folder, query)
  }

  async head(
    bucket: string,
    key: string,
    options?: HeadOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { mount, folder } = this.#placeOf(bucket)
    return await mount.drive.head(folder, key, options)
  }

  open(
    bucket: string,
    key: string,
    options?: OpenOptions,
  ): OpenObject | Promise<OpenObject | undefined> {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.open(folder, key, options)
  }

  async draft(bucket: string, key: string, options: DraftOptions): Promise<Draft> {
    const { mount, folder } = this.#writable(bucket)
    const { drive } = mount
    const draft = await drive.draft(folder, key, options)
    return {
      write: (chunk) => draft.write(chunk),
      async publish(attributes, conditions) {
        try {
          requireSame(mount, drive)
        } catch (error) {
          await draft.discard()
          throw error
        }
        return await draft.publish(attributes, conditions)
      },
      discard: () => draft.discard(),
    }
  }

  async copy(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const place = this.#writable(target.bucket)
    const from = this.#placeOf(source.bucket)
    if (from.mount !== place.mount) return undefined
    return await place.mount.drive.copy?.(
      { ...source, bucket: from.folder },
      { ...target, bucket: place.folder },
      options,
    )
  }

  async setTags(bucket: string, key: string, tags: Tags): Promise<ObjectMetadata | undefined> {
    const place = this.#writable(bucket)
    const { drive } = place.mount
    if (drive.setTags === undefined) throw unsupportedTags()
    return await drive.setTags(place.folder, key, tags)
  }

  async remove(bucket: string, key: string, conditions?: RemovalConditions): Promise<boolean> {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.remove(folder, key, conditions)
  }

  async removeAll(bucket: string, keys: readonly string[]) {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.removeAll?.(folder, keys)
  }

  /** Has no effect on a drive that can't do it. */
  async removeFolder(bucket: string, key: string): Promise<void> {
    const place = this.#writable(bucket)
    await place.mount.drive.removeFolder?.(place.folder, key)
  }

  async sweep(): Promise<void> {
    for (const { drive, isReadOnly, problem } of this.#table.mounts) {
      if (!isReadOnly && problem === undefined) await drive.sweep?.()
    }
  }

  async quota(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
    return (await this.#default.drive.quota?.()) ?? unlimited
  }

  async close(): Promise<void> {
    await Promise.all(this.#table.mounts.map(({ drive }) => drive.close()))
  }

  ownEtags(bucket: string): boolean {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.ownEtags?.(folder) ?? false
  }

  trashes(bucket: string): boolean {
    const { mount, folder, isReadOnly } = this.#placeOf(bucket)
    return !isReadOnly && !mount.isReadOnly && (mount.drive.trashes?.(folder) ?? false)
  }

  /** @throws DriveError `denied` */
  #writable(bucket: string): BucketPlace {
    const place = this.#placeOf(bucket)
    requireWritable(bucket, place)
    return place
  }

  #placeOf(bucket: string): BucketPlace {
    const owner = bucketOfTrash(bucket)
    // By the bucket's name, which no two buckets share, and not by its folder.
    if (owner !== undefined) return { ...this.#placeOf(owner), folder: bucket }
    const place = this.#table.places.get(bucket)
    return place ?? { mount: this.#default, folder: bucket, isReadOnly: false }
  }
}
