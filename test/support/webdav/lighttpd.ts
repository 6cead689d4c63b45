import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  absenceOf,
  type Scope,
  type ServerKind,
  type ServerPlace,
  startServer,
  type WebdavServer,
  type WebdavServerOptions,
} from './server-process.ts'

export interface LighttpdOptions extends WebdavServerOptions {
  /** Turns on PUT with Content-Range, which lighttpd calls deprecated and unsafe. */
  readonly takesPartialPut?: boolean
}

const program = 'lighttpd'
const packages = 'lighttpd, lighttpd-mod-webdav'

export const absenceOfLighttpd = () => absenceOf(program, packages)

/** lighttpd with mod_webdav, properties in SQLite: the second opinion. */
export function startLighttpd(
  scope: Scope,
  options: LighttpdOptions = {},
): Promise<WebdavServer | undefined> {
  return startServer(scope, lighttpdWith(options), options)
}

function lighttpdWith({ takesPartialPut = false }: LighttpdOptions): ServerKind {
  return {
    program,
    packages,
    path: '/dav',
    prepare(place) {
      writeFileSync(join(place.folder, 'users'), `${place.user}:${place.password}\n`)
      const file = join(place.folder, 'lighttpd.conf')
      const unsafe = takesPartialPut ? partialPut : ''
      writeFileSync(file, configurationOf(place) + unsafe)
      return ['-D', '-f', file]
    },
  }
}

const partialPut = 'webdav.opts = ( "deprecated-unsafe-partial-put" => "enable" )\n'

function configurationOf({ folder, root, port }: ServerPlace): string {
  return `
server.modules = ( "mod_alias", "mod_auth", "mod_authn_file", "mod_webdav" )
server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${root}"
alias.url = ( "/dav" => "${root}" )
server.upload-dirs = ( "${folder}" )
mimetype.assign = ( ".html" => "text/html", ".txt" => "text/plain", "" => "application/octet-stream" )
webdav.activate = "enable"
webdav.is-readonly = "disable"
webdav.sqlite-db-name = "${join(folder, 'properties.db')}"
auth.backend = "plain"
auth.backend.plain.userfile = "${join(folder, 'users')}"
auth.require = ( "" => ( "method" => "basic", "realm" => "bucketry", "require" => "valid-user" ) )
`
}
