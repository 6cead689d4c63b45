import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readContent } from '../fakes/google/content-store.ts'
import { startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { flipByte } from './flip-byte.ts'
import { testBucket } from './gateway-process.ts'
import { sha256OfFile } from './test-bytes.ts'
import type { Scope, WebdavServer } from './webdav/server-process.ts'

/** Puts something before a server, a slow line for one, and gives its URL through that. */
type Through = (url: string) => Promise<string>

/** A drive, and its server's files as they are on the disk. */
export interface DriveWorld {
  /** Of a gateway on it. */
  readonly settings: Readonly<Record<string, string>>
  /** SHA-256 of the file that the server keeps for an object of the bucket. Absent where there are no files. */
  stored?(key: string): Promise<string>
  /** Changes one byte of that file silently, as a failing disk does. */
  damage?(key: string): void
}

export type OpenWorld = (scope: Scope, through: Through) => Promise<DriveWorld>

/** A WebDAV server of this machine. */
export function worldOf(start: (scope: Scope) => Promise<WebdavServer | undefined>): OpenWorld {
  return async (scope, through) => {
    const server = await start(scope)
    if (server === undefined) throw new Error('the server did not start')
    return {
      settings: { DRIVE: await through(server.url) },
      ...filesIn(server.root),
    }
  }
}

export const nextcloudWorld: OpenWorld = async (scope, through) => {
  const nextcloud = await startNextcloud(scope)
  const fileOf = (key: string) => {
    const file = nextcloud.otherClient.fileOf(`${testBucket}/${key}`)
    if (file === undefined) throw new Error(`Nextcloud has no ${key}`)
    return file
  }
  return {
    settings: { DRIVE: await through(nextcloud.url) },
    stored: (key) => sha256OfFile(fileOf(key)),
    damage: (key) => flipByte(fileOf(key)),
  }
}

export const googleWorld: OpenWorld = async (scope, through) => {
  const emulator = await startGoogleEmulator()
  scope.after(() => emulator.close())
  const { clientId, clientSecret, refreshToken } = emulator.credentials
  const contentOf = (key: string) => {
    const found = [...emulator.files.records().values()].filter(({ name }) => name === key)
    const content = found[0]?.content
    if (found.length === 1 && content !== undefined) return content
    throw new Error(`Google Drive has ${found.length} files ${key}`)
  }
  return {
    settings: {
      DRIVE: 'gdrive:lines',
      GDRIVE_CLIENT_ID: clientId,
      GDRIVE_CLIENT_SECRET: clientSecret,
      GDRIVE_REFRESH_TOKEN: refreshToken,
      GDRIVE_API_URL: await through(emulator.url),
    },
    async stored(key) {
      const hash = createHash('sha256')
      const content = contentOf(key)
      for await (const bytes of readContent(content, 0, content.size)) hash.update(bytes)
      return hash.digest('hex')
    },
    damage(key) {
      const { bytes, path } = contentOf(key)
      if (path !== undefined) flipByte(path)
      else if (bytes !== undefined) bytes[0] = (bytes[0] ?? 0) ^ 1
    },
  }
}

/** A local folder: the only slow line is the client's. */
export const localWorld: OpenWorld = async (scope) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-lines-drive-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    settings: { DRIVE: `file:${folder}` },
    ...filesIn(folder),
  }
}

/** Has no files: the objects are read from the gateway, without the slow line. */
export const memoryWorld: OpenWorld = async () => ({ settings: { DRIVE: 'memory:', WORKERS: '1' } })

function filesIn(root: string): Required<Pick<DriveWorld, 'stored' | 'damage'>> {
  const fileOf = (key: string) => join(root, testBucket, key)
  return { stored: (key) => sha256OfFile(fileOf(key)), damage: (key) => flipByte(fileOf(key)) }
}
