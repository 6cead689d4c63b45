import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
}

const program = 'rclone'
const packages = 'rclone'

const rcloneWith = ({ hasMd5Etags = false }: RcloneOptions): ServerKind => ({
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
      ...['--cache-dir', join(folder, 'cache'), '--dir-cache-time', '0s', '--poll-interval', '0'],
    ]
  },
})

export const absenceOfRclone = () => absenceOf(program, packages)

/**
 * `rclone serve webdav`: the worst case. It keeps no folder in its cache, so that what is put into
 * the root by hand shows at once.
 */
export function startRcloneServe(
  scope: Scope,
  options: RcloneOptions = {},
): Promise<WebdavServer | undefined> {
  return startServer(scope, rcloneWith(options), options)
}
