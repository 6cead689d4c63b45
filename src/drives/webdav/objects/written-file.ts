import { DriveError } from '../../drive.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'
import { requireEntry } from './object-finder.ts'

/**
 * The file that was just written. It has its size, and its MD5 if the server reports it.
 *
 * @param md5 undefined when it is not known here.
 * @throws DriveError `unavailable` when the server has kept something else.
 */
export async function requireArrived(
  server: DavServer,
  path: DavPath,
  { size, md5 }: { readonly size: number; readonly md5: string | undefined },
): Promise<DavEntry> {
  const entry = requireEntry(
    await server.stat(path, { asksForMd5: true }),
    'a file that was just written',
  )
  if (entry.size !== size) {
    const sizes = `${entry.size} instead of ${size} bytes`
    throw new DriveError('unavailable', `The WebDAV server stored ${sizes}. Try again.`)
  }
  server.arrivals.check(entry.md5, md5)
  return entry
}
