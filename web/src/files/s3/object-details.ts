/** The metadata from the headers of an object. */
export interface ObjectDetails {
  readonly size: number
  readonly contentType: string
  /** Without quotes. */
  readonly etag: string
  readonly modifiedAtMs: number
  /** Cache-Control and other headers stored with the object. */
  readonly headers: readonly (readonly [string, string])[]
  /** Checksums of the whole object or of its parts, in base64, each with the name of its algorithm. */
  readonly checksums: readonly (readonly [string, string])[]
  /** x-amz-meta-*, without that prefix. */
  readonly metadata: readonly (readonly [string, string])[]
  /** Absent if the current version was asked for. */
  readonly versionId?: string
  readonly lock?: VersionLock
}

/** Why a version cannot be deleted (AWS, "Object Lock"). */
export interface VersionLock {
  /** Absent without a retention, or after its end. */
  readonly untilMs?: number
  readonly hasLegalHold: boolean
}

const shownHeaders = [
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Expires',
] as const

/** Shown as AWS's console does, if they were asked for (AWS, "Checking object integrity"). */
const checksums = {
  'x-amz-checksum-crc32': 'CRC32',
  'x-amz-checksum-crc32c': 'CRC32C',
  'x-amz-checksum-crc64nvme': 'CRC64NVME',
  'x-amz-checksum-sha1': 'SHA-1',
  'x-amz-checksum-sha256': 'SHA-256',
} as const

const metadataPrefix = 'x-amz-meta-'

export interface ReplyHeaders extends Iterable<readonly [string, string]> {
  get(name: string): string | null
}

export function readDetails(headers: ReplyHeaders): ObjectDetails {
  return {
    size: Number(headers.get('content-length') ?? 0),
    contentType: headers.get('content-type') ?? '',
    etag: (headers.get('etag') ?? '').replaceAll('"', ''),
    modifiedAtMs: Date.parse(headers.get('last-modified') ?? ''),
    headers: shownHeaders.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, fromLatin1(value)] as const]
    }),
    checksums: Object.entries(checksums).flatMap(([name, algorithm]) => {
      const value = headers.get(name)
      return value === null ? [] : [[algorithm, value] as const]
    }),
    metadata: decodedMetadata(headers),
    ...lockOf(headers, Date.now()),
  }
}

function lockOf(headers: ReplyHeaders, nowMs: number): Pick<ObjectDetails, 'lock'> {
  const untilMs = Date.parse(headers.get('x-amz-object-lock-retain-until-date') ?? '')
  const hasLegalHold = headers.get('x-amz-object-lock-legal-hold') === 'ON'
  const isRetained = untilMs > nowMs
  return isRetained || hasLegalHold
    ? { lock: { hasLegalHold, ...(isRetained && { untilMs }) } }
    : {}
}

export function decodedMetadata(headers: ReplyHeaders): ObjectDetails['metadata'] {
  return [...headers]
    .filter(([name]) => name.startsWith(metadataPrefix))
    .map(([name, value]) => [name.slice(metadataPrefix.length), fromWords(value)] as const)
}

const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?'
const words = new RegExp(`=\\?UTF-8\\?B\\?${base64}\\?=(?: =\\?UTF-8\\?B\\?${base64}\\?=)*`, 'g')

/**
 * Decodes RFC 2047 encoded words, in which non-ASCII metadata is sent. A space between two words is not part of the
 * text.
 */
function fromWords(value: string): string {
  return value.replace(words, (found) =>
    found
      .split(' ')
      .map((word) => fromLatin1(atob(word.slice('=?UTF-8?B?'.length, -'?='.length))))
      .join(''),
  )
}

/**
 * fetch returns one character per byte (Fetch standard, "isomorphic decode"); most clients send
 * UTF-8.
 */
function fromLatin1(value: string): string {
  try {
    const bytes = Uint8Array.from(value, (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: keep the value as it is.
    return value
  }
}
