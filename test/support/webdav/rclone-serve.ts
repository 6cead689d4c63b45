import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import {
  absenceOf,
  type Scope,
  type ServerKind,
  startServer,
  type WebdavServer,
  type WebdavServerOptions,
} from './server-process.ts'

export interface RcloneOptions extends WebdavServerOptions {
  /** ETags are the MD5 of the content (`--etag-hash MD5`). */
  readonly hasMd5Etags?: boolean
  /** Whether it caches folders, as by default. It then learns of changes by hand from `forgetFolders`. */
  readonly cachesFolders?: boolean
}

const program = 'rclone'
const packages = 'rclone'

/** @param controlPort where it takes remote control commands; absent: it caches no folders */
const rcloneWith = (hasMd5Etags: boolean, controlPort: number | undefined): ServerKind => ({
  program,
  packages,
  path: '/dav',
  prepare({ folder, root, port, user, password }) {
    const configuration = join(folder, 'rclone.conf')
    writeFileSync(configuration, '')
    return [
      ...['serve', 'webdav', root, '--addr', `127.0.0.1:${port}`, '--baseurl', '/dav'],
      ...['--user', user, '--pass', password, '--config', configuration],
      ...(hasMd5Etags ? ['--etag-hash', 'MD5'] : []),
      ...['--cache-dir', join(folder, 'cache'), '--poll-interval', '0'],
      ...(controlPort === undefined
        ? ['--dir-cache-time', '0s']
        : ['--rc', '--rc-no-auth', '--rc-addr', `127.0.0.1:${controlPort}`]),
    ]
  },
})

export const absenceOfRclone = () => absenceOf(program, packages)

/**
 * `rclone serve webdav`: the worst case. Unless it `cachesFolders`, files that are put into the root by hand
 * show immediately.
 */
export async function startRcloneServe(
  scope: Scope,
  { hasMd5Etags = false, cachesFolders = false, ...options }: RcloneOptions = {},
): Promise<WebdavServer | undefined> {
  const controlPort = cachesFolders ? await freePort() : undefined
  const server = await startServer(scope, rcloneWith(hasMd5Etags, controlPort), options)
  if (server === undefined || controlPort === undefined) return server
  return { ...server, forgetFolders: () => forgetFolders(controlPort) }
}

/** https://rclone.org/rc/#vfs-forget */
async function forgetFolders(controlPort: number): Promise<void> {
  const url = `http://127.0.0.1:${controlPort}/vfs/forget`
  const { ok, status } = await fetch(url, { method: 'POST' })
  if (!ok) throw new Error(`vfs/forget: ${status}`)
}
