import type { Drive, UploadDrive } from '../drive.ts'
import { DriveError, unsupportedTags } from '../drive-error.ts'
import { bucketOfTrash } from '../trash-bucket.ts'
import {
  areNested,
  type BucketPlace,
  type Mount,
  type MountTable,
  requireSame,
  requireWritable,
  sweepAll,
} from './mount.ts'
import { RoutedUploads } from './routed-uploads.ts'

type Calls = Required<Drive>

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

  readonly prepare: Calls['prepare'] = async (buckets) => {
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
  readonly addBucket: Calls['addBucket'] = async (bucket) => {
    const place = this.#writable(bucket)
    for (const [name, other] of this.#table.places) {
      if (name === bucket || other.mount !== place.mount) continue
      if (!areNested(place.folder, other.folder)) continue
      const message = `The folder ${place.folder} of bucket ${bucket} would share files with that of bucket ${name}.`
      throw new DriveError('denied', message)
    }
    await place.mount.drive.addBucket(place.folder)
  }

  readonly removeBucket: Calls['removeBucket'] = async (bucket) => {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.removeBucket(folder)
  }

  readonly check: Calls['check'] = async (access) => {
    const { drive, isReadOnly } = this.#default
    await drive.check(access === 'writes' && isReadOnly ? 'reads' : access)
  }

  readonly bucketCreatedAtMs: Calls['bucketCreatedAtMs'] = async (bucket) => {
    const { mount, folder } = this.#placeOf(bucket)
    return await mount.drive.bucketCreatedAtMs(folder)
  }

  readonly list: Calls['list'] = (bucket, query) => {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.list(folder, query)
  }

  readonly head: Calls['head'] = async (bucket, key, options) => {
    const { mount, folder } = this.#placeOf(bucket)
    return await mount.drive.head(folder, key, options)
  }

  readonly open: Calls['open'] = (bucket, key, options) => {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.open(folder, key, options)
  }

  readonly draft: Calls['draft'] = async (bucket, key, options) => {
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

  readonly copy: Calls['copy'] = async (source, target, options) => {
    const place = this.#writable(target.bucket)
    const from = this.#placeOf(source.bucket)
    if (from.mount !== place.mount) return undefined
    return await place.mount.drive.copy?.(
      { ...source, bucket: from.folder },
      { ...target, bucket: place.folder },
      options,
    )
  }

  readonly setTags: Calls['setTags'] = async (bucket, key, tags) => {
    const place = this.#writable(bucket)
    const { drive } = place.mount
    if (drive.setTags === undefined) throw unsupportedTags()
    return await drive.setTags(place.folder, key, tags)
  }

  readonly remove: Calls['remove'] = async (bucket, key, conditions) => {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.remove(folder, key, conditions)
  }

  readonly removeAll: Calls['removeAll'] = async (bucket, keys) => {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.removeAll?.(folder, keys)
  }

  /** Has no effect on a drive that can't do it. */
  readonly removeFolder: Calls['removeFolder'] = async (bucket, key) => {
    const place = this.#writable(bucket)
    await place.mount.drive.removeFolder?.(place.folder, key)
  }

  readonly sweep: Calls['sweep'] = () => sweepAll(this.#table.mounts, (drive) => drive.sweep?.())

  readonly quota: Calls['quota'] = async () => {
    const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
    return (await this.#default.drive.quota?.()) ?? unlimited
  }

  readonly close: Calls['close'] = async () => {
    await Promise.all(this.#table.mounts.map(({ drive }) => drive.close()))
  }

  readonly ownEtags: Calls['ownEtags'] = (bucket) => {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.ownEtags?.(folder) ?? false
  }

  readonly trashes: Calls['trashes'] = (bucket) => {
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
