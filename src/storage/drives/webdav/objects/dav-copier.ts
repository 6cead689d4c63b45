import type { CopyOptions, CopySource, ObjectMetadata, ObjectName } from '../../drive.ts'
import { changedSource } from '../../drive-error.ts'
import { canCopy } from '../../write-conditions.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import type { PublishingContext } from './dav-publisher.ts'
import { UnconfirmedMove } from './file-mover.ts'
import type { FoundObject } from './object-finder.ts'
import { davPathOf } from './object-path.ts'
import { requireEntry } from './written-file.ts'

/** As Drive.copy, on the server. */
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
