import type { Entry, FolderEntry } from '../../drive.ts'
import type { ObjectCandidate } from '../../folder-cursor.ts'
import { provisionalEtag } from '../../stored-attributes.ts'
import type { DavContext } from '../dav-context.ts'
import { objectPathOf } from '../objects/object-path.ts'
import type { ListedName } from './dav-folder-index.ts'

/** A listed object before its ETag is known. */
export interface DavCandidate extends ObjectCandidate {
  readonly listed: ListedName
}

/** Adds the ETags of objects, and leaves out objects that no longer exist. At most 1,000. */
export async function describeEntries(
  { store, finder, rules }: DavContext,
  bucket: string,
  candidates: readonly (DavCandidate | FolderEntry)[],
): Promise<Entry[]> {
  const unknown = candidates.flatMap((one) => {
    if (one.kind === 'folder' || one.listed.etag !== undefined) return []
    return [{ path: objectPathOf(bucket, one.key, rules).leaseKey, version: one.listed.version }]
  })
  const etags = await store.etagsOf(unknown)
  const entries: Entry[] = []
  for (const one of candidates) {
    if (one.kind === 'folder') {
      entries.push(one)
      continue
    }
    const { key, listed } = one
    const object = objectPathOf(bucket, key, rules)
    const etag = listed.etag ?? etags.get(object.leaseKey)
    // Apache reads a file and its properties at two moments: such a file gets no provisional ETag.
    const isTorn = etag === undefined && listed.isUnsure === true
    const found = isTorn ? await finder.find(object) : undefined
    if (isTorn && found === undefined) continue
    const { size, modifiedAtMs } = found?.metadata ?? listed
    const known = found?.metadata.attributes.etag ?? etag ?? provisionalEtag(listed.version)
    entries.push({ kind: 'object', key, size, modifiedAtMs, etag: known })
  }
  return entries
}
