/** Kills a gateway with SIGKILL during writes, while its S3 store keeps running. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { DatabaseDriveUploads } from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
import { openS3Drive } from '../../src/storage/drives/s3/s3-drive.ts'
import { newFolder, openUploads, s3DriveOptions } from '../contract/s3-drive-under-test.ts'
import { runCrashRounds } from '../crash/crash-rounds.ts'
import type { Shapes } from '../crash/writers.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 4)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))

/** S3's smallest part before the last one has 5 MiB. */
const shapes: Shapes = {
  keysOf: (index) => [`w${index}/a`, `w${index}/a/b`, `w${index}/c/d/e`],
  partSizes: (random) => [...(random.next() < 0.5 ? [5_300_000] : []), 1 + random.size(300_000)],
}

it('A gateway killed at random moments loses nothing acknowledged and leaves no upload', async (t) => {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const s3 = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-killed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const own = newFolder(s3.bucket)
  const settings = {
    DRIVE: `s3+${s3.url}${own}`,
    S3_DRIVE_ACCESS_KEY: s3.credentials.accessKey,
    S3_DRIVE_SECRET_KEY: s3.credentials.secretKey,
    LOG_LEVEL: 'warn',
  }
  await runCrashRounds(t, {
    ...{ rounds, shapes, random: new Random(seed), roundMs: [100, 1500] },
    start: async () => [await startGatewayProcess({ folder, settings })],
    // A sweep at the end aborts them.
    leftovers: () => [],
  })
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(() => database.close())
  const options = await s3DriveOptions(t, { url: s3.url, path: own, ...s3.credentials })
  const drive = await openS3Drive({ ...options, records: new DatabaseDriveUploads(database) })
  t.after(() => drive.close())
  const before = await openUploads(options)
  await drive.uploads.sweep(async () => false, 0)
  assert.deepEqual(await openUploads(options), [])
  t.diagnostic(`${before.length} uploads were left`)
})
