import { createHash } from 'node:crypto'
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

const modulesFolder = '/usr/lib/apache2/modules'

/** What Debian has on in a new installation, and DAV. */
const modules = [
  ...['access_compat', 'alias', 'auth_basic', 'authn_core', 'authn_file', 'authz_core'],
  ...['authz_host', 'authz_user', 'autoindex', 'deflate', 'dir', 'env', 'filter', 'mime'],
  ...['mpm_event', 'negotiation', 'reqtimeout', 'setenvif', 'dav', 'dav_fs'],
]

const program = 'apache2'
const packages = 'apache2-bin, media-types'

export interface ApacheOptions extends WebdavServerOptions {
  /**
   * Leaves on what Debian has on: a folder that holds an index.html then answers PROPFIND and DELETE
   * with 405, because mod_dir puts the file in the folder's place.
   */
  readonly hasDirectoryIndex?: boolean
}

export const absenceOfApache = () => absenceOf(program, packages)

/** Apache with mod_dav and mod_dav_fs as they come: the strict one. */
export function startApache(
  scope: Scope,
  options: ApacheOptions = {},
): Promise<WebdavServer | undefined> {
  return startServer(scope, apacheWith(options), options)
}

function apacheWith({ hasDirectoryIndex = false }: ApacheOptions): ServerKind {
  return {
    program,
    packages,
    path: '/dav',
    prepare(place) {
      writeFileSync(join(place.folder, 'users'), `${place.user}:${sha1Entry(place.password)}\n`)
      const file = join(place.folder, 'apache.conf')
      writeFileSync(file, configurationOf(place, hasDirectoryIndex))
      return ['-f', file, '-DFOREGROUND']
    },
  }
}

/** https://httpd.apache.org/docs/2.4/misc/password_encryptions.html: the form that costs nothing. */
function sha1Entry(password: string): string {
  return `{SHA}${createHash('sha1').update(password).digest('base64')}`
}

function configurationOf({ folder, root, log, port }: ServerPlace, hasIndex: boolean): string {
  return `
ServerRoot "${folder}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${join(folder, 'pid')}"
DefaultRuntimeDir "${folder}"
ErrorLog "${log}"
${modules.map((name) => `LoadModule ${name}_module ${modulesFolder}/mod_${name}.so`).join('\n')}
${configurationOfDebian}
StartServers 1
ServerLimit 2
ThreadsPerChild 32
MaxRequestWorkers 64
DocumentRoot "${root}"
Alias /dav "${root}"
DavLockDB "${join(folder, 'locks')}"
<Directory "${root}">
  Dav On
  DirectoryIndex ${hasIndex ? indexNames : 'disabled'}
  AuthType Basic
  AuthName "bucketry"
  AuthUserFile "${join(folder, 'users')}"
  Require valid-user
</Directory>
`
}

const indexNames = 'index.html index.cgi index.pl index.php index.xhtml index.htm'

/** /etc/apache2/apache2.conf and mods-enabled, as far as a DAV client can notice. */
const configurationOfDebian = `
Timeout 300
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
TypesConfig /etc/mime.types
AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css application/javascript
RequestReadTimeout header=20-40,minrate=500
RequestReadTimeout body=10,minrate=500
IndexOptions FancyIndexing VersionSort HTMLTable NameWidth=* DescriptionWidth=* Charset=UTF-8
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
IndexIgnore .??* *~ *# RCS CVS *,v *,t
`
