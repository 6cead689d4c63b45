/** Kills a gateway with SIGKILL during writes, while its WebDAV server keeps running. */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCrashRounds } from '../crash/crash-rounds.ts'
import { startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { filesBelow, startGatewayProcess } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { absenceOfApache, startApache } from '../support/webdav/apache.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 6)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
/** Uploads whose creation got no reply are empty and stay for a day. */
const emptyBytes = 1024
/** The drive's own files. */
const lasting = new Set(['names.json', 'owner.json', 'alive.json'])

interface KilledOn {
  readonly url: string
  /** The gateway's own files on the server, with their sizes. */
  ownFiles(): readonly (readonly [path: string, size: number])[]
}

async function killAgainAndAgain(t: TestContext, { url, ownFiles }: KilledOn): Promise<void> {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-killed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await runCrashRounds(t, {
    rounds,
    random: new Random(seed),
    roundMs: [100, 1500],
    start: async () => [
      await startGatewayProcess({ folder, settings: { DRIVE: url, LOG_LEVEL: 'warn' } }),
    ],
    leftovers: () =>
      ownFiles().flatMap(([path, size]) => {
        const isUpload = path.startsWith('uploads/')
        const isKept = lasting.has(path) || (isUpload && size <= emptyBytes)
        return isKept ? [] : [path]
      }),
  })
}

describe('A gateway killed at random moments loses nothing acknowledged and leaves nothing behind', () => {
  it('over Apache', { skip: absenceOfApache() }, async (t) => {
    const server = await startApache(t)
    if (server === undefined) return
    const own = join(server.root, '.bucketry')
    await killAgainAndAgain(t, {
      url: server.url,
      // Apache stores properties in its own folders, which it does not list.
      ownFiles: () =>
        filesBelow(own)
          .filter((path) => !path.includes('/.DAV/'))
          .map((path) => [path.slice(own.length + 1), sizeOf(path)]),
    })
  })

  it('over Nextcloud', async (t) => {
    const { url, otherClient } = await startNextcloud(t)
    await killAgainAndAgain(t, {
      url,
      ownFiles: () =>
        otherClient
          .list('.bucketry')
          .filter((path) => !path.endsWith('/'))
          .map((path) => [path, otherClient.get(`.bucketry/${path}`)?.length ?? 0]),
    })
  })
})

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
