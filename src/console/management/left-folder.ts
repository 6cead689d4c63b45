import type { Drive } from '../../drives/drive.ts'

/**
 * The first visible folder below the prefix that contains no object; undefined if there is none.
 * Folders created by keys disappear with their last object; folders created by hand remain on
 * drives without `removeFolder`.
 */
export async function leftFolder(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  prefix: string,
): Promise<string | undefined> {
  // The folder `a/` is an entry in the listing of `a`, not in its own.
  const above = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
  const cursor = drive.list(bucket, { prefix: above, after: '', delimiter: '/' })
  cursor.seek(prefix)
  const [entry] = await cursor.next(1)
  if (entry?.kind !== 'folder' || !entry.key.startsWith(prefix)) return undefined
  const [inside] = await drive.list(bucket, { prefix: entry.key, after: '' }).next(1)
  return inside === undefined ? entry.key : undefined
}
