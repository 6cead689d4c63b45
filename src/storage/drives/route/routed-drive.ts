import type { Drive, PartDraft, UploadDrive } from '../drive.ts'
import { DriveError, unsupportedChange } from '../drive-error.ts'
import { bucketOfTrash } from '../trash-bucket.ts'
import { refusalOfVersions, versionsOf } from '../unversioned.ts'
import { areNested, type BucketPlace, type Mount, type MountTable, sweepAll } from './mount.ts'

type DriveCalls = Required<Drive>
type UploadCalls = Required<UploadDrive>

const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }

/**
 * Several drives as one: each call goes to the drive of its bucket, under the bucket's name there. Members that concern
 * a drive as a whole (`kind`, `deletes`, `followsChanges`, `check`) are those of the default drive.
 */
export class RoutedDrive implements Drive {
  readonly uploads: UploadDrive
  readonly #table: MountTable
  readonly #default: Mount

  /** @throws Error if there is no mount. */
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

  get readsAlone(): boolean {
    return this.#default.drive.readsAlone ?? false
  }

  readonly prepare: DriveCalls['prepare'] = async (buckets) => {
    const byMount = Map.groupBy(buckets, (bucket) => this.#placeOf(bucket).mount)
    for (const [{ drive, isReadOnly }, names] of byMount) {
      if (!isReadOnly) await drive.prepare(names.map((name) => this.#placeOf(name).folder))
    }
  }

  readonly check: DriveCalls['check'] = async (access) => {
    const { drive, isReadOnly } = this.#default
    await drive.check(access === 'writes' && isReadOnly ? 'reads' : access)
  }

  readonly sweep: DriveCalls['sweep'] = () => sweepAll(this.#table.mounts, (one) => one.sweep?.())

  readonly quota: DriveCalls['quota'] = async (bucket) => {
    const { drive } = bucket === undefined ? this.#default : this.#placeOf(bucket).mount
    return (await drive.quota?.()) ?? unlimited
  }

  readonly close: DriveCalls['close'] = async () => {
    await Promise.all(this.#table.mounts.map(({ drive }) => drive.close()))
  }

  readonly bucketCreatedAtMs: DriveCalls['bucketCreatedAtMs'] = (bucket) =>
    this.#read(bucket, (drive, folder) => drive.bucketCreatedAtMs(folder))

  readonly list: DriveCalls['list'] = (bucket, query) =>
    this.#read(bucket, (drive, folder) => drive.list(folder, query))

  readonly head: DriveCalls['head'] = (bucket, key, options) =>
    this.#read(bucket, (drive, folder) => drive.head(folder, key, options))

  readonly open: DriveCalls['open'] = (bucket, key, options) =>
    this.#read(bucket, (drive, folder) => drive.open(folder, key, options))

  readonly ownEtags: DriveCalls['ownEtags'] = (bucket) =>
    this.#read(bucket, (drive, folder) => drive.ownEtags?.(folder) ?? false)

  readonly trashes: DriveCalls['trashes'] = (bucket) =>
    isWritable(this.#placeOf(bucket)) &&
    this.#read(bucket, (drive, folder) => drive.trashes?.(folder) ?? false)

  /** @throws DriveError `denied` if the folder contains the folder of another bucket, or is inside it */
  readonly addBucket: DriveCalls['addBucket'] = (bucket) =>
    this.#change(bucket, async (drive, folder) => {
      const { mount } = this.#placeOf(bucket)
      for (const [name, other] of this.#table.places) {
        if (name === bucket || other.mount !== mount || !areNested(folder, other.folder)) continue
        const message = `The folder ${folder} of bucket ${bucket} would share files with the folder of bucket ${name}.`
        throw new DriveError('denied', message)
      }
      await drive.addBucket(folder)
    })

  readonly removeBucket: DriveCalls['removeBucket'] = (bucket) =>
    this.#change(bucket, (drive, folder) => drive.removeBucket(folder))

  readonly draft: DriveCalls['draft'] = (bucket, key, options) =>
    this.#change(bucket, async (drive, folder) => {
      const { mount } = this.#placeOf(bucket)
      const draft = await drive.draft(folder, key, options)
      return {
        write: (chunk) => draft.write(chunk),
        async publish(attributes, conditions) {
          await discardIfLost(draft, mount, drive)
          return await draft.publish(attributes, conditions)
        },
        discard: () => draft.discard(),
      }
    })

  /** Undefined for a copy between two drives: the caller then reads and writes the object. */
  readonly copy: DriveCalls['copy'] = (source, target, options) =>
    this.#change(target.bucket, async (drive, folder) => {
      const from = this.#placeOf(source.bucket)
      if (from.mount !== this.#placeOf(target.bucket).mount) return undefined
      const own = { ...source, bucket: from.folder }
      return await drive.copy?.(own, { ...target, bucket: folder }, options)
    })

  readonly setAttributes: DriveCalls['setAttributes'] = (bucket, key, change, options) =>
    this.#change(bucket, async (drive, folder) => {
      if (drive.setAttributes === undefined) throw unsupportedChange()
      return await drive.setAttributes(folder, key, change, options)
    })

  readonly versionsRefusal: DriveCalls['versionsRefusal'] = (bucket) =>
    this.#read(bucket, (drive, folder) => refusalOfVersions(drive, folder))

  readonly isVersionId: DriveCalls['isVersionId'] = (bucket, versionId) =>
    this.#read(bucket, (drive, folder) => drive.isVersionId?.(folder, versionId) ?? true)

  readonly setVersioning: DriveCalls['setVersioning'] = (bucket, versioning) =>
    this.#change(bucket, async (drive, folder) => await drive.setVersioning?.(folder, versioning))

  readonly enableLocks: DriveCalls['enableLocks'] = (bucket) =>
    this.#change(bucket, async (drive, folder) => await drive.enableLocks?.(folder))

  readonly hidingMarker: DriveCalls['hidingMarker'] = (bucket, key) =>
    this.#read(bucket, async (drive, folder) => await drive.hidingMarker?.(folder, key))

  readonly listVersions: DriveCalls['listVersions'] = (bucket, query) =>
    this.#read(bucket, (drive, folder) => versionsOf(drive, folder, query))

  readonly remove: DriveCalls['remove'] = (bucket, key, conditions) =>
    this.#change(bucket, (drive, folder) => drive.remove(folder, key, conditions))

  readonly removeAll: DriveCalls['removeAll'] = (bucket, keys) =>
    this.#change(bucket, async (drive, folder) => await drive.removeAll?.(folder, keys))

  /** Has no effect on a drive that cannot remove folders. */
  readonly removeFolder: DriveCalls['removeFolder'] = (bucket, key) =>
    this.#change(bucket, async (drive, folder) => await drive.removeFolder?.(folder, key))

  /** Undefined for a move between two drives. */
  readonly moveFolder: DriveCalls['moveFolder'] = (from, to, options) =>
    this.#change(from.bucket, (drive, folder) =>
      this.#change(to.bucket, async (other, toFolder) => {
        if (other !== drive) return undefined
        const moved = { ...from, bucket: folder }
        return await drive.moveFolder?.(moved, { ...to, bucket: toFolder }, options)
      }),
    )

  #read<Result>(bucket: string, call: (drive: Drive, folder: string) => Result): Result {
    const { mount, folder } = this.#placeOf(bucket)
    return call(mount.drive, folder)
  }

  /** @throws DriveError `denied` if the bucket is read-only */
  async #change<Result>(
    bucket: string,
    call: (drive: Drive, folder: string) => Promise<Result>,
  ): Promise<Result> {
    requireWritable(bucket, this.#placeOf(bucket))
    return await this.#read(bucket, call)
  }

  #placeOf(bucket: string): BucketPlace {
    const owner = bucketOfTrash(bucket)
    // The trash is named after the bucket, because the folders of two buckets may have the same name.
    if (owner !== undefined) return { ...this.#placeOf(owner), folder: bucket }
    const place = this.#table.places.get(bucket)
    return place ?? { mount: this.#default, folder: bucket, isReadOnly: false }
  }
}

interface FoundUpload {
  readonly mount: Mount
  /** The state as the mount's drive knows it. */
  readonly inner: string
}

/**
 * Multipart uploads on several drives. The state of an upload on a named drive begins with `@NAME:`. On the default
 * drive, the state is the drive's own, as if there were no other drives.
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
    const { mount, inner } = found
    return stateOf(mount, (await mount.drive.uploads.takeOver?.(inner, options)) ?? inner)
  }

  readonly append: UploadCalls['append'] = (state, options) =>
    this.#begin(state, (uploads, inner) => uploads.append(inner, options), stateOf)

  readonly replaceLast: UploadCalls['replaceLast'] = (state, options) =>
    this.#begin(state, (uploads, inner) => uploads.replaceLast(inner, options), stateOf)

  readonly place: UploadCalls['place'] = (state, options) => {
    const begin = async (uploads: UploadDrive, inner: string) => {
      const part = await uploads.place?.(inner, options)
      if (part === undefined)
        throw new TypeError(`the drive accepts the parts of upload ${inner} only in order`)
      return part
    }
    return this.#begin(state, begin, (_, place) => place)
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
      const message = `The bucket ${bucket} is now on another drive. Start a new upload.`
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

  /** The bytes on a drive that was removed from the settings are swept once the drive is configured again. */
  readonly abort: UploadCalls['abort'] = async (state) => {
    const found = this.#find(state)
    if (found !== undefined && !found.mount.isReadOnly) {
      await found.mount.drive.uploads.abort(found.inner)
    }
  }

  readonly sweep: UploadCalls['sweep'] = (isKnown, olderThanMs) =>
    sweepAll([...this.#mounts.values()], ({ uploads }) => uploads.sweep(isKnown, olderThanMs))

  /**
   * Begins a part whose `commit` fails if the drive has been lost since. @param resultOf computes what `commit`
   * returns
   */
  async #begin(
    state: string,
    begin: (uploads: UploadDrive, inner: string) => Promise<PartDraft>,
    resultOf: (mount: Mount, committed: string) => string,
  ): Promise<PartDraft> {
    const { mount, inner } = this.#require(state)
    const { drive } = mount
    const part = await begin(drive.uploads, inner)
    return {
      write: (chunk) => part.write(chunk),
      async commit() {
        await discardIfLost(part, mount, drive)
        return resultOf(mount, await part.commit())
      },
      discard: () => part.discard(),
    }
  }

  #find(state: string): FoundUpload | undefined {
    const [, name = '', inner = state] = /^@([A-Z0-9_]+):(.*)$/s.exec(state) ?? []
    const mount = this.#mounts.get(name)
    return mount && { mount, inner }
  }

  #require(state: string): FoundUpload {
    const found = this.#find(state)
    if (found !== undefined) return found
    const message = 'The drive of this upload is no longer in the settings. Start a new upload.'
    throw new DriveError('upload-gone', message)
  }
}

function stateOf({ name }: Mount, inner: string): string {
  return name === '' ? inner : `@${name}:${inner}`
}

function isWritable({ mount, isReadOnly }: BucketPlace): boolean {
  return !isReadOnly && !mount.isReadOnly
}

/** @throws DriveError `denied` if the bucket is read-only */
function requireWritable(bucket: string, place: BucketPlace): void {
  if (isWritable(place)) return
  throw new DriveError('denied', `The bucket ${bucket} is read-only (READ_ONLY).`)
}

/** @throws DriveError `unavailable` if another gateway has taken over the drive that a request began to write to */
function requireSame({ name, drive }: Mount, before: Drive): void {
  if (drive === before) return
  throw new DriveError('unavailable', `The drive ${name || 'in DRIVE'} is no longer available.`)
}

/** Discards what was written to a drive that was lost. @throws DriveError as `requireSame` */
async function discardIfLost(
  written: { discard(): Promise<void> },
  mount: Mount,
  drive: Drive,
): Promise<void> {
  try {
    requireSame(mount, drive)
  } catch (error) {
    await written.discard()
    throw error
  }
}
