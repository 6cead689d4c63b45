import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  filesBelow,
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
  unfinishedFiles,
} from '../support/gateway-process.ts'
import { Random } from './random.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { finishUpload, overtakeUpload, verifyParts } from './uploads.ts'
import { putCopySource, type Workload, writeUntilKilled } from './writers.ts'

/**
 * SIGKILL to all processes of the gateway in the midst of mixed writes, again and again on the same
 * folder. It shows what a killed process leaves, not what a power cut does to the disk's cache.
 */
const rounds = Number(process.env.CRASH_ROUNDS ?? 20)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const mostRoundMs = 900

const folder = mkdtempSync(join(tmpdir(), 'stowage-crash-'))
const settings = { LOG_LEVEL: 'warn' }

describe('a gateway killed at random moments', () => {
  const store = new BelievedStore()
  const random = new Random(seed)
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('loses nothing acknowledged, tears nothing and continues its uploads', async (t) => {
    t.diagnostic(`CRASH_SEED=${seed}`)
    const totals = { steps: 0, resumed: 0 }
    for (let round = 0; round <= rounds; round++) {
      const server = await startGatewayProcess({ folder, settings })
      try {
        const workload = { server, store, random, onStep: () => totals.steps++ }
        if (round === 0) await putCopySource(workload)
        totals.resumed += store.openUploads.size
        await verifyAfterCrash(workload, server.driveFolder)
        if (round < rounds) await crashOnce(t, server, workload)
      } finally {
        await server.kill()
      }
    }
    t.diagnostic(`${rounds} crashes, ${totals.steps} steps, ${totals.resumed} uploads resumed`)
    assert.ok(totals.steps > rounds, 'the writers did next to nothing')
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

/** Writers run until the group is killed, at a moment of the seed's choosing. */
async function crashOnce(
  t: TestContext,
  server: GatewayProcess,
  workload: Workload,
): Promise<void> {
  const [, problems] = await Promise.all([
    delay(workload.random.integer(50, mostRoundMs)).then(() => server.kill()),
    writeUntilKilled(workload),
  ])
  if (problems.length > 0) t.diagnostic(server.logs())
  assert.deepEqual(problems, [])
}

async function verifyAfterCrash(
  { server, store, random }: Workload,
  driveFolder: string,
): Promise<void> {
  // First of all, while the gateway puts in order what the crash has left.
  for (const upload of store.openUploads) {
    if (random.next() < 0.3) await overtakeUpload(server, store, upload)
  }
  assert.deepEqual(await verifyStore(server, store), [])
  for (const upload of store.openUploads) {
    assert.deepEqual(await verifyParts(server, upload), [])
    await finishUpload(server, store, upload)
  }
  assert.deepEqual(await verifyStore(server, store), [], 'after uploads were resumed')
  // Bytes of an aborted upload may go behind the answer.
  const deadlineMs = Date.now() + 5000
  while (leftovers(driveFolder).length > 0 && Date.now() < deadlineMs) await delay(20)
  assert.deepEqual(leftovers(driveFolder), [], 'leftovers')
}

/** Files of the gateway's own that no request needs any more. */
function leftovers(driveFolder: string): string[] {
  const own = join(driveFolder, '.stowage')
  // What remembers a Complete whose answer may be lost is no leftover, nor is an upload whose
  // creation was never answered. Both are smaller than this.
  const uploads = filesBelow(join(own, 'uploads')).filter((path) => statSync(path).size > 1024)
  // A lock of the dead is taken over by whoever wants it; until then it may lie there.
  const temporary = unfinishedFiles(driveFolder).filter((path) => !path.includes('/locks/'))
  // Each living process has one folder of temporary files.
  const folders = readdirSync(join(own, 'tmp'))
  return [...uploads, ...temporary, ...(folders.length > availableParallelism() + 1 ? folders : [])]
}
