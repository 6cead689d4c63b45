import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testBucket } from '../support/gateway-process.ts'
import { readContent } from '../support/google/content-store.ts'
import { startGoogleEmulator } from '../support/google/google-emulator.ts'
import { sha256Of, sha256OfFile } from '../support/test-bytes.ts'
import { startNextcloud } from '../support/webdav/nextcloud/start-nextcloud.ts'
import type { Scope, WebdavServer } from '../support/webdav/server-process.ts'

/** Puts a slow line before a server and gives its URL over that line. */
export type OverLine = (url: string) => Promise<string>

/** A drive whose server is at the other end of a slow line. */
export interface LineWorld {
  /** Of a gateway on it. */
  readonly settings: Readonly<Record<string, string>>
  /** SHA-256 of the file that the server keeps for an object of the bucket. Absent where there are no files. */
  stored?(key: string): Promise<string>
}

export type OpenWorld = (scope: Scope, overLine: OverLine) => Promise<LineWorld>

/** A WebDAV server of this machine. */
export function worldOf(start: (scope: Scope) => Promise<WebdavServer | undefined>): OpenWorld {
  return async (scope, overLine) => {
    const server = await start(scope)
    if (server === undefined) throw new Error('the server did not start')
    return {
      settings: { DRIVE: await overLine(server.url) },
      stored: (key) => sha256OfFile(join(server.root, testBucket, key)),
    }
  }
}

export const nextcloudWorld: OpenWorld = async (scope, overLine) => {
  const nextcloud = await startNextcloud(scope)
  return {
    settings: { DRIVE: await overLine(nextcloud.url) },
    async stored(key) {
      const bytes = nextcloud.otherClient.get(`${testBucket}/${key}`)
      if (bytes === undefined) throw new Error(`Nextcloud has no ${key}`)
      return sha256Of(bytes)
    },
  }
}

export const googleWorld: OpenWorld = async (scope, overLine) => {
  const emulator = await startGoogleEmulator()
  scope.after(() => emulator.close())
  const { clientId, clientSecret, refreshToken } = emulator.credentials
  return {
    settings: {
      DRIVE: 'gdrive:lines',
      GDRIVE_CLIENT_ID: clientId,
      GDRIVE_CLIENT_SECRET: clientSecret,
      GDRIVE_REFRESH_TOKEN: refreshToken,
      GDRIVE_API_URL: await overLine(emulator.url),
    },
    async stored(key) {
      const found = [...emulator.files.records().values()].filter(({ name }) => name === key)
      const content = found[0]?.content
      if (found.length !== 1 || content === undefined) {
        throw new Error(`Google Drive has ${found.length} files ${key}`)
      }
      const hash = createHash('sha256')
      for await (const bytes of readContent(content, 0, content.size)) hash.update(bytes)
      return hash.digest('hex')
    },
  }
}

/** A local folder: the only slow line is the client's. */
export const localWorld: OpenWorld = async (scope) => {
  const folder = mkdtempSync(join(tmpdir(), 'stowage-lines-drive-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    settings: { DRIVE: `file:${folder}` },
    stored: (key) => sha256OfFile(join(folder, testBucket, key)),
  }
}

/** Has no files: the objects are read from the gateway, without the slow line. */
export const memoryWorld: OpenWorld = async () => ({ settings: { DRIVE: 'memory:', WORKERS: '1' } })
