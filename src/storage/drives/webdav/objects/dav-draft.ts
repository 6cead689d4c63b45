import type {
  CopyOptions,
  CopySource,
  Draft,
  DraftOptions,
  ObjectMetadata,
  ObjectName,
} from '../../drive.ts'
import { changedSource } from '../../drive-error.ts'
import { endingDraft } from '../../kit/uploads/upload-rules.ts'
import { canCopy } from '../../write-conditions.ts'
import { md5OfEtag } from '../client/arrivals.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import { DavFileWriter } from './dav-file-writer.ts'
import type { PublishingContext } from './dav-publisher.ts'
import { UnconfirmedMove } from './file-mover.ts'
import type { FoundObject } from './object-finder.ts'
import { type DavObjectPath, davPathOf } from './object-path.ts'
import { requireArrived, requireEntry } from './own-files.ts'

/** A new object: a file in the drive's own folder that is moved into place when it is complete. */
export function davDraft(
  { server, own, spool, publisher }: PublishingContext,
  object: DavObjectPath,
  { size, signal }: DraftOptions,
): Draft {
  const path = own.newPath()
  const writer = new DavFileWriter({ server, own, path, size, signal, spool })
  let isUnconfirmed = false
  return endingDraft({
    write: (chunk) => writer.write(chunk),
    async publish(attributes, conditions) {
      try {
        await writer.finish()
        const md5 = md5OfEtag(attributes.etag)
        const entry = await requireArrived(server, path, { size: writer.size, md5 })
        return await publisher.publish({ object, path, entry, attributes, conditions })
      } catch (error) {
        isUnconfirmed = error instanceof UnconfirmedMove
        throw error
      }
    },
    async discard() {
      if (isUnconfirmed) return
      await writer.abort()
      if (writer.hasSent) await own.discard(path)
    },
  })
}

/** As Drive.copy, by the server. */
export async function copyObject(
  context: PublishingContext,
  source: CopySource,
  target: ObjectName,
  options: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  const { finder, own, publisher, rules } = context
  const found = await finder.find(davPathOf(source.bucket, source.key, rules))
  if (found === undefined) return undefined
  if (!canCopy(source, found.metadata.attributes.etag)) return undefined
  const path = own.newPath()
  try {
    const entry = await copyTo(context, path, found, { source, ...options })
    const { attributes, conditions } = options
    const object = davPathOf(target.bucket, target.key, rules)
    return await publisher.publish({ object, path, entry, attributes, conditions })
  } catch (error) {
    if (!(error instanceof UnconfirmedMove)) await own.discard(path)
    throw error
  }
}

async function copyTo(
  { server, own, store }: DavContext,
  path: DavPath,
  found: FoundObject,
  { source, signal }: { readonly source: CopySource; readonly signal?: AbortSignal },
): Promise<DavEntry> {
  const paths = { from: found.path, to: path }
  const copyOptions = { overwrite: false, signal }
  const answer = await own.restoring(() => server.transfer('COPY', paths, copyOptions))
  if (answer.status === 404) throw changedSource(source)
  // Versions are unique: if the version is the same before and after, it was there all the time.
  // A failed COPY is checked too: golang.org/x/net/webdav, which rclone serve uses, answers 500
  // when the source is replaced while it is copied.
  const after = await server.stat(found.path)
  if (after === undefined || store.versionOf(after) !== store.versionOf(found.entry)) {
    throw changedSource(source)
  }
  if (answer.status !== 201 && answer.status !== 204) throw new StatusError('COPY', answer)
  const entry = requireEntry(await server.stat(path), 'the copy')
  if (entry.size !== found.metadata.size) throw changedSource(source)
  return entry
}
