import type { NameRules } from '../../kit/names/name-rules.ts'

/** What the probe found out about a server. */
export interface DavAbilities {
  readonly rules: NameRules
  /** Dead properties are kept, move with their file, and replace those of an overwritten file. */
  readonly keepsRecords: boolean
  /**
   * What identifies the version of a file. Both survive MOVE. `time`: size and modification time, which
   * servers report in whole seconds.
   */
  readonly versions: 'etag' | 'time'
  /** PUT with Content-Range writes into a file and keeps its other bytes; not tried on Nextcloud. */
  readonly writesRanges: boolean
  /** The folder of a Nextcloud for chunked uploads: names below the origin. */
  readonly chunkRoot: readonly string[] | undefined
  /** The server reports its free space. */
  readonly reportsQuota: boolean
  readonly copies: boolean
  /** The server reports the MD5 of the bytes it received. */
  readonly reportsMd5: boolean
}

/** For the log. */
export function describeAbilities(abilities: DavAbilities): object {
  const { keepsRecords, versions, writesRanges, chunkRoot, reportsQuota, copies, rules } = abilities
  return {
    attributes: keepsRecords ? 'in a property of each file' : 'in the database',
    versions: versions === 'etag' ? 'by entity tag' : 'by time and size, in whole seconds',
    multipart: multipartOf(chunkRoot !== undefined, writesRanges),
    copies: copies ? 'on the server' : 'through Bucketry',
    quota: reportsQuota ? 'reported' : 'not reported',
    uploads: abilities.reportsMd5 ? 'checked by size and MD5' : 'checked by size',
    longestName: rules.maxNameBytes,
    escapedCharacters: rules.characters?.source,
    escapedNames: [rules.beginnings?.source, rules.endings?.source].filter(Boolean),
  }
}

function multipartOf(takesChunks: boolean, writesRanges: boolean): string {
  if (takesChunks) return 'chunks, assembled by Nextcloud'
  return writesRanges ? 'appended on the server' : 'collected on this machine'
}
