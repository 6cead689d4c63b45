/**
 * How names are ordered in the index: UTF-8 bytes of the segment in hex, which every database and
 * every collation sorts alike. A folder's ends in a slash, because keys below it begin with that:
 * `a-b` comes before `a/…`, and `a0` after (API reference, ListObjectsV2: "UTF-8 binary order").
 */
export function sortNameOf(segment: string, kind: 'file' | 'folder'): string {
  return Buffer.from(kind === 'folder' ? `${segment}/` : segment).toString('hex')
}

/** The segment again, a folder's with its slash. */
export function textOfSortName(sortName: string): string {
  return Buffer.from(sortName, 'hex').toString()
}
