import { DavError } from './dav-error.ts'

/** Names from the user's root down. Empty: the root. */
export type DavPath = readonly string[]

/**
 * The names in an escaped path. Nextcloud composes them (OC\Files\Filesystem::normalizePath): both
 * forms of a name are one file. Dot segments, which sabre/uri resolves, are a mistake of the client.
 */
export function parsePath(escaped: string): DavPath {
  const names = escaped.split('/').filter((name) => name !== '')
  return names.map((name) => {
    if (name === '.' || name === '..') throw new DavError(400, `the path has a segment ${name}`)
    return decodeName(name).normalize('NFC')
  })
}

function decodeName(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    throw new DavError(400, `the path is no UTF-8: ${escaped}`)
  }
}

/** As sabre/http does, hex digits in lower case. */
export function encodePath(path: DavPath): string {
  return path.map(encodeName).join('/')
}

function encodeName(name: string): string {
  return Array.from(Buffer.from(name), (byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9_\-.~()]/.test(character)
      ? character
      : `%${byte.toString(16).padStart(2, '0')}`
  }).join('')
}

/** The path as a map key. Names contain no `/`. */
export function pathKey(path: DavPath): string {
  return path.join('/')
}

/** Nextcloud's oc_filecache.name has 250 bytes; lib/FilenameValidator refuses longer names. */
const maxNameBytes = 250

/**
 * Throws for what OC\Files\FilenameValidator refuses in its default configuration: 400 (InvalidPath)
 * or, for a reserved name, 403.
 */
export function checkName(name: string): void {
  const lower = name.toLowerCase()
  if (name.trim() === '') throw new DavError(400, 'Filename can not be empty')
  if (Buffer.byteLength(name) > maxNameBytes) throw new DavError(400, 'Filename is too long')
  if (lower === '.htaccess') throw new DavError(403, `"${name}" is a forbidden file name`)
  if (/\.(file)?part$/.test(lower)) throw new DavError(400, `"${name}" is a forbidden file type`)
  if (/[\0-\x1f\\/]/.test(name)) throw new DavError(400, `"${name}" has a forbidden character`)
}
