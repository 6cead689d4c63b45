import type { PartDraft, UploadDrive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'
import { type BucketPlace, type Mount, requireSame, requireWritable, sweepAll } from './mount.ts'

type Calls = Required<UploadDrive>

interface Routed {
  readonly mount: Mount
  /** The state as its drive knows it. */
  readonly inner: string
}

/**
 * Multipart uploads on several drives. The state of an upload on a named drive begins with `@NAME:`;
 * that of the default drive is the drive's own, as it is without other drives.
 */
export class RoutedUploads implements UploadDrive {
  readonly #mounts: ReadonlyMap<string, Mount>
  readonly #placeOf: (bucket: string) => BucketPlace

  constructor(mounts: readonly Mount[], placeOf: (bucket: string) => BucketPlace) {
    this.#mounts = new Map(mounts.map((mount) => [mount.name, mount]))
    this.#placeOf = placeOf
  }

  readonly begin: Calls['begin'] = async (uploadId, { bucket, key }, options) => {
    const place = this.#placeOf(bucket)
    requireWritable(bucket, place)
    const { mount, folder } = place
    const inner = await mount.drive.uploads.begin(uploadId, { bucket: folder, key }, options)
    return stateOf(mount, inner)
  }

  readonly abilities: Calls['abilities'] = (state) => {
    const { mount, inner } = this.#require(state)
    return mount.drive.uploads.abilities(inner)
  }

  readonly takeOver: Calls['takeOver'] = async (state, options) => {
    const found = this.#find(state)
    // Without its drive, the upload can only be aborted.
    if (found === undefined) return state
    const { uploads } = found.mount.drive
    return stateOf(found.mount, (await uploads.takeOver?.(found.inner, options)) ?? found.inner)
  }

  readonly append: Calls['append'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { drive } = mount
    const part = await drive.uploads.append(inner, options)
    return guarded(mount, part, (next) => stateOf(mount, next))
  }

  readonly replaceLast: Calls['replaceLast'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { drive } = mount
    const part = await drive.uploads.replaceLast(inner, options)
    return guarded(mount, part, (next) => stateOf(mount, next))
  }

  readonly place: Calls['place'] = async (state, options) => {
    const { mount, inner } = this.#require(state)
    const { uploads } = mount.drive
    const part = await uploads.place?.(inner, options)
    if (part === undefined) throw new TypeError(`the parts of upload ${inner} come in order`)
    return guarded(mount, part, (place) => place)
  }

  readonly removePlace: Calls['removePlace'] = async (state, place) => {
    const { mount, inner } = this.#require(state)
    await mount.drive.uploads.removePlace?.(inner, place)
  }

  readonly complete: Calls['complete'] = async (state, options) => {
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

  readonly isPublished: Calls['isPublished'] = async (state) => {
    const found = this.#find(state)
    return found !== undefined && (await found.mount.drive.uploads.isPublished(found.inner))
  }

  /** Bytes on a drive that is no longer in the settings are swept when it is again. */
  readonly abort: Calls['abort'] = async (state) => {
    const found = this.#find(state)
    if (found !== undefined && !found.mount.isReadOnly) {
      await found.mount.drive.uploads.abort(found.inner)
    }
  }

  readonly sweep: Calls['sweep'] = (isKnown, olderThanMs) =>
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
