import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
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

const module = '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so'
const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const nginx = ({ makesFolders = false } = {}): ServerKind => ({
  program: 'nginx',
  packages: 'nginx, libnginx-mod-http-dav-ext',
  path: '/dav',
  prepare(place) {
    const hash = createHash('sha1').update(place.password).digest('base64')
    writeFileSync(join(place.folder, 'users'), `${place.user}:{SHA}${hash}\n`)
    const file = join(place.folder, 'nginx.conf')
    writeFileSync(file, configurationOf(place, makesFolders))
    return ['-p', place.folder, '-c', file, '-e', 'stderr']
  },
})

export function absenceOfNginx(): string | false {
  const absence = absenceOf(nginx().program, nginx().packages)
  return absence === false && !existsSync(module) ? `needs ${nginx().packages}` : absence
}

/** nginx with dav-ext: it lists no name that begins with a dot, keeps no properties, has no entity tags. */
export function startNginx(
  scope: Scope,
  options?: WebdavServerOptions,
): Promise<WebdavServer | undefined> {
  return startServer(scope, nginx(), options)
}

/** As `startNginx`; a PUT makes the folders above its file. */
export function startNginxThatMakesFolders(scope: Scope): Promise<WebdavServer | undefined> {
  return startServer(scope, nginx({ makesFolders: true }))
}

function configurationOf({ folder, root, port }: ServerPlace, makesFolders: boolean): string {
  return `
load_module ${module};
daemon off;
master_process off;
pid pid;
events {}
http {
  access_log off;
  ${temporaryFolders.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location /dav/ {
      alias "${root}/";
      auth_basic bucketry;
      auth_basic_user_file users;
      dav_methods PUT DELETE MKCOL COPY MOVE;
      create_full_put_path ${makesFolders ? 'on' : 'off'};
      dav_ext_methods PROPFIND OPTIONS;
    }
  }
}
`
}
