/**
 * The order of names in the index: the segment's UTF-8 bytes in hex, which all databases and
 * collations sort the same way. The name of a folder ends in a slash, as the keys below it do:
 * `a-b` comes before `a/…`, and `a0` after (API reference, ListObjectsV2: "UTF-8 binary order").
 */
export function sortNameOf(segment: string, kind: 'file' | 'folder'): string {
  return Buffer.from(kind === 'folder' ? `${segment}/` : segment).toString('hex')
}

/** The segment of a sort name; with a slash for a folder. */
export function textOfSortName(sortName: string): string {
  return Buffer.from(sortName, 'hex').toString()
}
