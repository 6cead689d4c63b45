import type { Drive, PartDraft, UploadDrive } from '../drive.ts'
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

type DriveCalls = Required<Drive>

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

  readonly prepare: DriveCalls['prepare'] = async (buckets) => {
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
  readonly addBucket: DriveCalls['addBucket'] = async (bucket) => {
    const place = this.#writable(bucket)
    for (const [name, other] of this.#table.places) {
      if (name === bucket || other.mount !== place.mount) continue
      if (!areNested(place.folder, other.folder)) continue
      const message = `The folder ${place.folder} of bucket ${bucket} would share files with that of bucket ${name}.`
      throw new DriveError('denied', message)
    }
    await place.mount.drive.addBucket(place.folder)
  }

  readonly removeBucket: DriveCalls['removeBucket'] = async (bucket) => {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.removeBucket(folder)
  }

  readonly check: DriveCalls['check'] = async (access) => {
    const { drive, isReadOnly } = this.#default
    await drive.check(access === 'writes' && isReadOnly ? 'reads' : access)
  }

  readonly bucketCreatedAtMs: DriveCalls['bucketCreatedAtMs'] = async (bucket) => {
    const { mount, folder } = this.#placeOf(bucket)
    return await mount.drive.bucketCreatedAtMs(folder)
  }

  readonly list: DriveCalls['list'] = (bucket, query) => {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.list(folder, query)
  }

  readonly head: DriveCalls['head'] = async (bucket, key, options) => {
    const { mount, folder } = this.#placeOf(bucket)
    return await mount.drive.head(folder, key, options)
  }

  readonly open: DriveCalls['open'] = (bucket, key, options) => {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.open(folder, key, options)
  }

  readonly draft: DriveCalls['draft'] = async (bucket, key, options) => {
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

  readonly copy: DriveCalls['copy'] = async (source, target, options) => {
    const place = this.#writable(target.bucket)
    const from = this.#placeOf(source.bucket)
    if (from.mount !== place.mount) return undefined
    return await place.mount.drive.copy?.(
      { ...source, bucket: from.folder },
      { ...target, bucket: place.folder },
      options,
    )
  }

  readonly setTags: DriveCalls['setTags'] = async (bucket, key, tags) => {
    const place = this.#writable(bucket)
    const { drive } = place.mount
    if (drive.setTags === undefined) throw unsupportedTags()
    return await drive.setTags(place.folder, key, tags)
  }

  readonly remove: DriveCalls['remove'] = async (bucket, key, conditions) => {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.remove(folder, key, conditions)
  }

  readonly removeAll: DriveCalls['removeAll'] = async (bucket, keys) => {
    const { mount, folder } = this.#writable(bucket)
    return await mount.drive.removeAll?.(folder, keys)
  }

  /** Has no effect on a drive that can't do it. */
  readonly removeFolder: DriveCalls['removeFolder'] = async (bucket, key) => {
    const place = this.#writable(bucket)
    await place.mount.drive.removeFolder?.(place.folder, key)
  }

  readonly sweep: DriveCalls['sweep'] = () =>
    sweepAll(this.#table.mounts, (drive) => drive.sweep?.())

  readonly quota: DriveCalls['quota'] = async () => {
    const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
    return (await this.#default.drive.quota?.()) ?? unlimited
  }

  readonly close: DriveCalls['close'] = async () => {
    await Promise.all(this.#table.mounts.map(({ drive }) => drive.close()))
  }

  readonly ownEtags: DriveCalls['ownEtags'] = (bucket) => {
    const { mount, folder } = this.#placeOf(bucket)
    return mount.drive.ownEtags?.(folder) ?? false
  }

  readonly trashes: DriveCalls['trashes'] = (bucket) => {
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

type UploadCalls = Required<UploadDrive>

interface Routed {
  readonly mount: Mount
  /** The state as its drive knows it. */
  readonly inner: string
}

/**
 * Multipart uploads on several drives. The state of an upload on a named drive begins with `@NAME:`;
 * that of the default drive is the drive's own, as it is without other drives.
 */
class RoutedUploads implements UploadDrive {
  readonly #mounts: ReadonlyMap<string, Mount>
  readonly #placeOf: (bucket: string) => BucketPlace

  constructor(mounts: readonly Mount[], placeOf: (bucket: string) => BucketPlace) {
    this.#mounts = new Map(mounts.map((mount) => [mount.name, mount]))
    this.#placeOf = placeOf
  }

  readonly begin: UploadCalls['begin'] = async (uploadId, { bucket, key }, options) => {
    const place = this.#placeOf(bucket)
    requireWritable(bucket, place)
    const { mount, folder } = place
    const inner = await mount.drive.uploads.begin(uploadId, { bucket: folder, key }, options)
    return stateOf(mount, inner)
  }

  readonly abilities: UploadCalls['abilities'] = (state) => {
    const { mount, inner } = this.#require(state)
    return mount.drive.uploads.abilities(inner)
  }

  readonly takeOver: UploadCalls['takeOver'] = async (state, options) => {
    const found = this.#find(state)
    // Without its drive, the upload can only be aborted.
    if (found === undefined) return state
    const { uploads } = found.mount.drive
    return stateOf(found.mount, (await uploads.takeOver?.(found.inner, options)) ?? found.inner)
  }

  readonly append: UploadCalls['append'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { drive } = mount
    const part = await drive.uploads.append(inner, options)
    return guarded(mount, part, (next) => stateOf(mount, next))
  }

  readonly replaceLast: UploadCalls['replaceLast'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { drive } = mount
    const part = await drive.uploads.replaceLast(inner, options)
    return guarded(mount, part, (next) => stateOf(mount, next))
  }

  readonly place: UploadCalls['place'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { uploads } = mount.drive
    const part = await uploads.place?.(inner, options)
    if (part === undefined) throw new TypeError(`the parts of upload ${inner} come in order`)
    return guarded(mount, part, (place) => place)
  }

  readonly removePlace: UploadCalls['removePlace'] = async (state, place) => {
    const { mount, inner } = this.#require(state)
    await mount.drive.uploads.removePlace?.(inner, place)
  }

  readonly complete: UploadCalls['complete'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { bucket, key } = options.target
    const place = this.#placeOf(bucket)
    requireWritable(bucket, place)
    if (place.mount !== mount) {
      const message = `The bucket ${bucket} is on another drive now: start a new upload.`
      throw new DriveError('upload-gone', message)
    }
    const { drive } = mount
    return await drive.uploads.complete(inner, {
      ...options,
      target: { bucket: place.folder, key },
      assertHeld() {
        requireSame(mount, drive)
        options.assertHeld?.()
      },
    })
  }

  readonly isPublished: UploadCalls['isPublished'] = async (state) => {
    const found = this.#find(state)
    return found !== undefined && (await found.mount.drive.uploads.isPublished(found.inner))
  }

  /** Bytes on a drive that is no longer in the settings are swept when it is again. */
  readonly abort: UploadCalls['abort'] = async (state) => {
    const found = this.#find(state)
    if (found !== undefined && !found.mount.isReadOnly) {
      await found.mount.drive.uploads.abort(found.inner)
    }
  }

  readonly sweep: UploadCalls['sweep'] = (isKnown, olderThanMs) =>
    sweepAll([...this.#mounts.values()], ({ uploads }) => uploads.sweep(isKnown, olderThanMs))

  #find(state: string): Routed | undefined {
    const [, name = '', inner = state] = /^@([A-Z0-9_]+):(.*)$/s.exec(state) ?? []
    const mount = this.#mounts.get(name)
    return mount && { mount, inner }
  }

  #require(state: string): Routed {
    const found = this.#find(state)
    if (found !== undefined) return found
    const message = 'The drive of this upload is no longer in the settings: start a new upload.'
    throw new DriveError('upload-gone', message)
  }
}

function stateOf({ name }: Mount, inner: string): string {
  return name === '' ? inner : `@${name}:${inner}`
}

/** Nothing is committed once the drive is lost. */
function guarded(
  mount: Mount,
  part: PartDraft,
  resultOf: (committed: string) => string,
): PartDraft {
  const { drive } = mount
  return {
    write: (chunk) => part.write(chunk),
    async commit() {
      try {
        requireSame(mount, drive)
      } catch (error) {
        await part.discard()
        throw error
      }
      return resultOf(await part.commit())
    },
    discard: () => part.discard(),
  }
}
