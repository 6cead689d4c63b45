import type { Drive } from '../../drives/drive.ts'

/**
 * The first folder that is still to be seen below the prefix although no object is in it; undefined
 * when there is none. Folders that only keys created go with their last object; those that a person
 * made stay on a drive that has no `removeFolder`.
 */
export async function leftFolder(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  prefix: string,
): Promise<string | undefined> {
  // The folder `a/` is an entry of the listing of `a`, not of its own.
  const above = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
  const cursor = drive.list(bucket, { prefix: above, after: '', delimiter: '/' })
  cursor.seek(prefix)
  const [entry] = await cursor.next(1)
  if (entry?.kind !== 'folder' || !entry.key.startsWith(prefix)) return undefined
  const [inside] = await drive.list(bucket, { prefix: entry.key, after: '' }).next(1)
  return inside === undefined ? entry.key : undefined
}
