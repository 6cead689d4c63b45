import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import {
  filesBelow,
  startGatewayProcess,
  testBucket,
  unfinishedFiles,
} from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { runCrashRounds } from './crash-rounds.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { putCopySource } from './writers.ts'

/**
 * SIGKILL to all processes of the gateway in the midst of mixed writes, again and again on the same
 * folder. It shows what a killed process leaves, not what a power cut does to the disk's cache.
 */
const rounds = Number(process.env.CRASH_ROUNDS ?? 20)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const mostRoundMs = 900

const folder = mkdtempSync(join(diskFolder, 'bucketry-crash-'))
const settings = { LOG_LEVEL: 'warn' }

describe('a gateway killed at random moments', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('loses nothing acknowledged, tears nothing and continues its uploads', async (t) => {
    t.diagnostic(`CRASH_SEED=${seed}`)
    await runCrashRounds(t, {
      rounds,
      random: new Random(seed),
      roundMs: [50, mostRoundMs],
      start: () => startGatewayProcess({ folder, settings }),
      leftovers: () => leftovers(join(folder, 'drive')),
    })
  })

  it('is judged by a verifier that sees corruption', async () => {
    const store = new BelievedStore()
    const drive = mkdtempSync(join(folder, 'oracle-'))
    const server = await startGatewayProcess({ folder: drive, settings })
    const file = join(server.driveFolder, testBucket, 'copy source')
    try {
      await putCopySource({ server, store })
      assert.deepEqual(await verifyStore(server, store), [])
      const bytes = await readFile(file)
      const { atime, mtime } = await stat(file)
      await writeFile(
        file,
        Buffer.concat([bytes.subarray(0, -1), Buffer.from([~(bytes.at(-1) ?? 0)])]),
      )
      await utimes(file, atime, mtime)
      assert.equal((await verifyStore(server, store)).length, 1, 'one byte flipped')
      await writeFile(file, bytes.subarray(0, -1))
      assert.equal((await verifyStore(server, store)).length, 1, 'cut short')
      await rm(file)
      assert.equal((await verifyStore(server, store)).length, 1, 'lost')
    } finally {
      await server.kill()
    }
  })
})

/** Files of the gateway's own that no request needs any more. */
function leftovers(driveFolder: string): string[] {
  const own = join(driveFolder, '.bucketry')
  // What remembers a Complete whose answer may be lost is no leftover, nor is an upload whose
  // creation was never answered. Both are smaller than this.
  const uploads = filesBelow(join(own, 'uploads')).filter((path) => statSync(path).size > 1024)
  // A lock of the dead is taken over by whoever wants it; until then it may lie there.
  const temporary = unfinishedFiles(driveFolder).filter((path) => !path.includes('/locks/'))
  // Each living process has one folder of temporary files.
  const folders = readdirSync(join(own, 'tmp'))
  return [...uploads, ...temporary, ...(folders.length > availableParallelism() + 1 ? folders : [])]
}
