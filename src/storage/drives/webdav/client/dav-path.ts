import { percentEncode } from '../../../../platform/text/percent-encoding.ts'
import { DriveError } from '../../drive-error.ts'

/** Names below the drive's root, outermost first; empty for the root itself. */
export type DavPath = readonly string[]

/** The address in DRIVE. */
export interface DavAddress {
  /** `https://host:port`. */
  readonly origin: string
  /** The root's names below the origin. */
  readonly root: DavPath
  readonly user: string
  readonly password: string
}

/** The form of an address, for messages. */
export const davAddressForm =
  'webdav+https://user:password@host/path. In user, password and path, write these characters ' +
  'percent-encoded: % as %25, @ as %40, / as %2F, ? as %3F, # as %23, \\ as %5C'

/**
 * Reads `webdav+https://user:password@host/path`; user and password are percent-decoded.
 *
 * Only one raw `@` is allowed, and none of `/ ? # \` before it. Otherwise a raw character in the
 * password would end the authority early (RFC 3986 section 3.2), and a part of the password would be
 * sent to DNS as a host name.
 *
 * @throws DriveError `denied` with a user-facing message; its message never contains the password.
 */
export function parseDavAddress(text: string): DavAddress {
  const [, plain = '', behindScheme = ''] = /^webdav\+(https?:\/\/(.*))$/.exec(text) ?? []
  const [before = '', ...others] = behindScheme.split('@')
  const isAmbiguous = others.length > 1 || (others.length === 1 && /[/\\?#]/.test(before))
  const url = !isAmbiguous && URL.canParse(plain) ? new URL(plain) : undefined
  if (url === undefined || url.search !== '' || url.hash !== '') {
    throw new DriveError('denied', `The drive's address must have the form ${davAddressForm}.`)
  }
  const root = decodeSegments(url.pathname.split('/').filter((segment) => segment !== ''))
  const [user, password] = decodeSegments([url.username, url.password]) ?? []
  if (root === undefined || user === undefined || password === undefined) {
    const message = "The drive's address has a % that is not part of an escape: write it as %25."
    throw new DriveError('denied', message)
  }
  return { origin: url.origin, root, user, password }
}

/** The request target of a file. Servers differ on characters that need not be escaped. */
export function targetOf(root: DavPath, path: DavPath): string {
  return `/${[...root, ...path].map(percentEncode).join('/')}`
}

/** The request target of a folder. It ends with a slash, because servers redirect otherwise. */
export function folderTargetOf(root: DavPath, path: DavPath): string {
  const target = targetOf(root, path)
  return target === '/' ? target : `${target}/`
}

/**
 * The names in a DAV:href, which is an absolute path or a full URL (RFC 4918 section 8.3). Undefined if
 * it is not a path in UTF-8.
 */
export function segmentsOfHref(href: string): DavPath | undefined {
  const path = href.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
  if (!path.startsWith('/')) return undefined
  return decodeSegments(path.split('/').filter((segment) => segment !== ''))
}

function decodeSegments(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map((segment) => decodeURIComponent(segment))
  } catch {
    return undefined
  }
}
