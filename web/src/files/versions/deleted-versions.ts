import type { ListedVersion } from '../s3/version-page.ts'

/** Versions in the order of a listing: by key, then the newest first. */
type Versions = AsyncIterable<ListedVersion>

/**
 * The delete markers on top of the newest version of each deleted object, which exists again without them. Objects of which
 * only markers are left have none.
 */
export async function* markersAbove(versions: Versions): AsyncGenerator<ListedVersion> {
  let key: string | undefined
  let above: ListedVersion[] = []
  for await (const version of versions) {
    const isNewKey = version.key !== key
    if (isNewKey) above = []
    key = version.key
    if (version.isDeleteMarker && (isNewKey || above.length > 0)) above.push(version)
    else {
      yield* above
      above = []
    }
  }
}

/** All versions and markers of deleted objects. */
export async function* ofDeleted(versions: Versions): AsyncGenerator<ListedVersion> {
  let newest: ListedVersion | undefined
  for await (const version of versions) {
    if (version.key !== newest?.key) newest = version
    if (newest.isDeleteMarker && newest.isLatest) yield version
  }
}

/** Groups of at most `size`. */
export async function* batches<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size: number,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
