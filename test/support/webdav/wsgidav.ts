import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  absenceOf,
  type Scope,
  type ServerKind,
  startServer,
  type WebdavServer,
} from './server-process.ts'

const path = '/dav'

/** `.ci/run` installs it from PyPI. */
const wsgidav: ServerKind = {
  program: join(import.meta.dirname, '../../../node_modules/.cache/wsgidav/bin/wsgidav'),
  packages: 'python3-venv, then .ci/wsgidav',
  path,
  prepare({ folder, root, port, user, password }) {
    const configuration = join(folder, 'wsgidav.json')
    const settings = {
      ...{ host: '127.0.0.1', port, provider_mapping: { [path]: root } },
      simple_dc: { user_mapping: { '*': { [user]: { password } } } },
      http_authenticator: { accept_basic: true, accept_digest: false, default_to_digest: false },
      property_manager: true,
      lock_storage: true,
    }
    writeFileSync(configuration, JSON.stringify(settings))
    return ['--config', configuration]
  },
}

export const absenceOfWsgidav = () => absenceOf(wsgidav.program, wsgidav.packages)

/** WsgiDAV on cheroot: a server of another family, written in Python. */
export function startWsgidav(scope: Scope): Promise<WebdavServer | undefined> {
  return startServer(scope, wsgidav)
}
