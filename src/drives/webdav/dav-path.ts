import { DriveError } from '../drive.ts'

/** Names below the drive's root, outermost first; of the root itself none. */
export type DavPath = readonly string[]

/** What DRIVE says of a WebDAV server. */
export interface DavAddress {
  /** `https://host:port`. */
  readonly origin: string
  /** The root's names below the origin. */
  readonly root: DavPath
  readonly user: string
  readonly password: string
}

/**
 * Reads `webdav+https://user:password@host/path`; user and password are percent-decoded.
 * @throws DriveError `denied`, for people; its message never holds the password.
 */
export function parseDavAddress(text: string): DavAddress {
  const plain = text.replace(/^webdav\+/, '')
  const url = URL.canParse(plain) ? new URL(plain) : undefined
  const isWebdav = /^webdav\+https?:\/\//.test(text)
  if (url === undefined || !isWebdav || url.search !== '' || url.hash !== '') {
    const form = 'webdav+https://user:password@host/path'
    const hint =
      'Characters such as @ / ? # % in user or password are written as %40 %2F %3F %23 %25.'
    throw new DriveError('denied', `The drive's address must have the form ${form}. ${hint}`)
  }
  const root = decodeSegments(url.pathname.split('/').filter((segment) => segment !== ''))
  const [user, password] = decodeSegments([url.username, url.password]) ?? []
  if (root === undefined || user === undefined || password === undefined) {
    throw new DriveError('denied', "The drive's address has a % that begins no escaped character.")
  }
  return { origin: url.origin, root, user, password }
}

/** The request target of a file. */
export function targetOf(root: DavPath, path: DavPath): string {
  return `/${[...root, ...path].map(encodeSegment).join('/')}`
}

/** The request target of a folder: with a slash, or servers redirect. */
export function folderTargetOf(root: DavPath, path: DavPath): string {
  const target = targetOf(root, path)
  return target === '/' ? target : `${target}/`
}

/**
 * The names of a DAV:href, an absolute path or a full URL (RFC 4918 section 8.3), whatever of it is
 * escaped. Undefined for what is no path in UTF-8.
 */
export function segmentsOfHref(href: string): DavPath | undefined {
  const path = href.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
  if (!path.startsWith('/')) return undefined
  return decodeSegments(path.split('/').filter((segment) => segment !== ''))
}

/** As RFC 3986 section 2.3 has it: servers differ on what else may stand unescaped. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decodeSegments(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map((segment) => decodeURIComponent(segment))
  } catch {
    return undefined
  }
}
