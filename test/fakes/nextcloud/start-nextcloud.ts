import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope, WebdavServer } from '../../support/webdav/server-process.ts'
import type { FaultScript } from '../fault-script.ts'
import { type DavPath, parsePath } from './dav-path.ts'
import type { TreeNode } from './file-tree.ts'
import type { NextcloudFault } from './nextcloud-faults.ts'
import { NextcloudServer } from './nextcloud-server.ts'
import { type ChunkStore, Uploads } from './uploads.ts'
import { type UncountedQuota, UserFiles } from './user-files.ts'

export interface NextcloudOptions {
  /** How chunks are stored; default `files`. */
  readonly chunkStore?: ChunkStore
  /** The minimum size of an object store's parts except the last; default 5 MiB, as Amazon and MinIO. */
  readonly minPartBytes?: number
  /** The user's space in bytes, or a special value of quota-available-bytes; default unlimited. */
  readonly quota?: number | UncountedQuota
}

/** Actions of another client of the same user, such as the web page. Paths are unescaped. */
interface OtherClient {
  /** Creates or replaces a file, and creates the folders above it. */
  put(path: string, bytes: Uint8Array): void
  remove(path: string): void
  /** The file's bytes; undefined when there is none. */
  get(path: string): Uint8Array | undefined
  /** The path of the file's bytes on this machine. */
  fileOf(path: string): string | undefined
  makeFolder(path: string): void
  /** All paths below a folder, sorted; those of folders end with `/`. */
  list(folder: string): string[]
}

export interface Nextcloud extends WebdavServer {
  readonly uid: string
  readonly faults: FaultScript<NextcloudFault>
  /** Requests by method and place: `PUT files`, `MOVE uploads`, `GET status.php`. */
  readonly counters: ReadonlyMap<string, number>
  readonly otherClient: OtherClient
  /** The ids of the existing upload folders. */
  openUploads(): string[]
  /** Changes the user's space. */
  setQuota(quota: number | UncountedQuota): void
  setMaintenance(isMaintained: boolean): void
}

const uid = 'alice'
// Not the user id: finds code that uses the login name in paths.
const login = 'alice@example.org'
const password = 'aB3xY-9kLmN-p2QrS-t7UvW-z4CdE'

/**
 * A Nextcloud 31 in this process that ends with `scope`: files, chunked uploads, properties, locks
 * and quota of one user, as its source has them. Where it is stricter or
 * odder than other servers the line says so. `root` holds its bytes under numbers, and is no picture of the
 * folders.
 */
export async function startNextcloud(
  scope: Pick<Scope, 'after'>,
  { chunkStore = 'files', minPartBytes = 5 * 1024 * 1024, quota = -3 }: NextcloudOptions = {},
): Promise<Nextcloud> {
  const root = mkdtempSync(join(tmpdir(), 'bucketry-nextcloud-'))
  const user = new UserFiles(uid, { folder: root, quota })
  const uploads = new Uploads(user, { store: chunkStore, minPartBytes })
  const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  const nextcloud = new NextcloudServer({ uploads, authorization })
  const server = createServer(nextcloud.listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  scope.after(async () => {
    await stop()
    rmSync(root, { recursive: true, force: true })
  })
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const path = `/remote.php/dav/files/${uid}`
  return {
    url: `webdav+http://${encodeURIComponent(login)}:${password}@${authority}${path}`,
    httpUrl: `http://${authority}${path}`,
    ...{ user: login, password, authorization, root, uid, stop },
    errors: () => '',
    faults: nextcloud.faults,
    counters: nextcloud.counters,
    otherClient: otherClientOf(user),
    openUploads: () => uploads.all.map(({ id }) => id),
    setQuota: (bytes) => {
      user.quota = bytes
    },
    setMaintenance: (isMaintained) => {
      nextcloud.isMaintained = isMaintained
    },
  }
}

function otherClientOf(user: UserFiles): OtherClient {
  const { tree } = user
  const pathOf = (path: string) => parsePath(path.split('/').map(encodeURIComponent).join('/'))
  const fileOf = (path: string) => {
    const node = tree.find(pathOf(path))
    return node?.kind === 'file' ? node.content.file : undefined
  }
  const makeFolder = (path: DavPath) => {
    for (const index of path.keys()) {
      const folder = path.slice(0, index + 1)
      if (tree.find(folder) === undefined) tree.makeFolder(folder)
    }
  }
  return {
    put(path, bytes) {
      makeFolder(pathOf(path).slice(0, -1))
      const file = user.newFile()
      writeFileSync(file, bytes)
      tree.put(pathOf(path), { file, size: bytes.length }, {})
    },
    remove(path) {
      tree.remove(pathOf(path))
      user.dead.removed(pathOf(path))
    },
    get(path) {
      const file = fileOf(path)
      return file === undefined ? undefined : readFileSync(file)
    },
    fileOf,
    makeFolder: (path) => makeFolder(pathOf(path)),
    list: (folder) => [...pathsIn(tree.get(pathOf(folder)))].sort(),
  }
}

function* pathsIn(node: TreeNode, prefix = ''): Iterable<string> {
  if (node.kind === 'file') return
  for (const [name, child] of node.children) {
    yield child.kind === 'folder' ? `${prefix}${name}/` : `${prefix}${name}`
    yield* pathsIn(child, `${prefix}${name}/`)
  }
}
