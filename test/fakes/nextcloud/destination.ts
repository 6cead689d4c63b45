import { DavError } from './dav-error.ts'
import { type DavCall, headerOf } from './dav-exchange.ts'
import { type DavPath, parsePath, pathKey } from './dav-path.ts'
import type { UserFiles } from './user-files.ts'

export interface Destination {
  readonly path: DavPath
  readonly exists: boolean
}

/** The path in the Destination header, which must be below `files/{uid}`. sabre/dav ignores the host. */
export function destinationOf({ headers }: DavCall, { uid }: UserFiles): DavPath {
  const header = headerOf(headers, 'destination')
  if (!header) throw new DavError(400, 'The destination header was not supplied')
  const [, path = ''] = /^(?:https?:\/\/[^/]*)?(\/.*)$/.exec(header) ?? []
  const base = `/remote.php/dav/files/${encodeURIComponent(uid)}/`
  if (!path.startsWith(base))
    throw new DavError(403, `Requested uri (${header}) is out of base uri`)
  return parsePath(path.slice(base.length))
}

/** As sabre/dav's Server::getCopyAndMoveInfo. */
export function checkedDestination(call: DavCall, user: UserFiles): Destination {
  const path = destinationOf(call, user)
  const overwrite = (headerOf(call.headers, 'overwrite') ?? 'T').toUpperCase()
  if (overwrite !== 'T' && overwrite !== 'F') {
    throw new DavError(400, 'The HTTP Overwrite header should be either T or F')
  }
  user.tree.parentOf(path)
  const exists = user.tree.find(path) !== undefined
  if (exists && overwrite === 'F') throw new DavError(412, 'The destination node already exists')
  return { path, exists }
}

/** 403 onto itself, 409 into itself. */
export function checkApart(source: DavPath, destination: DavPath): void {
  const [from, to] = [pathKey(source), pathKey(destination)]
  if (from === to) throw new DavError(403, 'Source and destination uri are identical.')
  if (to.startsWith(`${from}/`)) throw new DavError(409, 'The destination is in the source')
  if (from.startsWith(`${to}/`)) throw new DavError(403, "cannot be moved to it's parent")
}
