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

const rclone: ServerKind = {
  program: 'rclone',
  packages: 'rclone',
  path: '/dav',
  prepare({ folder, root, port, user, password }) {
    const configuration = join(folder, 'rclone.conf')
    writeFileSync(configuration, '')
    return [
      ...['serve', 'webdav', root, '--addr', `127.0.0.1:${port}`, '--baseurl', '/dav'],
      ...['--user', user, '--pass', password, '--config', configuration],
      ...['--cache-dir', join(folder, 'cache'), '--dir-cache-time', '0s', '--poll-interval', '0'],
    ]
  },
}

export const absenceOfRclone = () => absenceOf(rclone.program, rclone.packages)

/**
 * `rclone serve webdav`: the worst case. It keeps no folder in its cache, so that what is put into
 * the root by hand shows at once.
 */
export function startRcloneServe(
  scope: Scope,
  options?: WebdavServerOptions,
): Promise<WebdavServer | undefined> {
  return startServer(scope, rclone, options)
}
