import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { leftoversIn, runCrashRounds } from './crash-rounds.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { putCopySource } from './writers.ts'

/**
 * Sends SIGKILL to all processes of the gateway during mixed writes, repeatedly on the same folder.
 * This tests killed processes, not the loss of the disk's cache in a power failure.
 */
const rounds = Number(process.env.CRASH_ROUNDS ?? 20)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const mostRoundMs = 900

const folder = mkdtempSync(join(diskFolder, 'bucketry-crash-'))
const settings = { LOG_LEVEL: 'warn' }
const durabilities = ['synced', 'relaxed'] as const

describe('a gateway killed at random moments', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const durability of durabilities) {
    it(`loses no acknowledged write, mixes no versions and continues its uploads (${durability})`, async (t) => {
      t.diagnostic(`CRASH_SEED=${seed}`)
      const own = mkdtempSync(join(folder, `${durability}-`))
      const all = { ...settings, DURABILITY: durability }
      await runCrashRounds(t, {
        rounds,
        random: new Random(seed),
        roundMs: [50, mostRoundMs],
        start: async () => [await startGatewayProcess({ folder: own, settings: all })],
        leftovers: () => leftoversIn(join(own, 'drive'), availableParallelism() + 1),
      })
    })
  }

  it('is checked by a verifier that detects corruption', async () => {
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
