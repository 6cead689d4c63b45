import type { NameRules } from '../../name-rules.ts'

/** What the probe found out about a server. */
export interface DavAbilities {
  readonly rules: NameRules
  /** Dead properties are kept, go along with MOVE, and replace those of what is overwritten. */
  readonly keepsRecords: boolean
  /**
   * What distinguishes versions of a file. Both survive MOVE. `time`: size and modification time,
   * which servers report in whole seconds.
   */
  readonly versions: 'etag' | 'time'
  /** PUT with Content-Range writes into a file and leaves the rest of it alone; not asked of Nextcloud. */
  readonly writesRanges: boolean
  /** Where a Nextcloud takes uploads in chunks: names below the origin. */
  readonly chunkRoot: readonly string[] | undefined
  /** The server reports its free space. */
  readonly tellsQuota: boolean
  readonly copies: boolean
  /** The server reports the MD5 of the bytes it received. */
  readonly tellsMd5: boolean
}

/** For the log: what follows from the findings. */
export function describeAbilities(abilities: DavAbilities): object {
  const { keepsRecords, versions, writesRanges, chunkRoot, tellsQuota, copies, rules } = abilities
  return {
    attributes: keepsRecords ? 'in a property of each file' : 'in the database',
    versions: versions === 'etag' ? 'by entity tag' : 'by time and size, in whole seconds',
    multipart: multipartOf(chunkRoot !== undefined, writesRanges),
    copies: copies ? 'on the server' : 'through Bucketry',
    quota: tellsQuota ? 'reported' : 'not reported',
    uploads: abilities.tellsMd5 ? 'checked by size and MD5' : 'checked by size',
    longestName: rules.maxNameBytes,
    escapedCharacters: rules.characters?.source,
    escapedNames: [rules.beginnings?.source, rules.endings?.source].filter(Boolean),
  }
}

function multipartOf(takesChunks: boolean, writesRanges: boolean): string {
  if (takesChunks) return 'chunks, assembled by Nextcloud'
  return writesRanges ? 'appended on the server' : 'collected on this machine'
}
