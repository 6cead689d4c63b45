/** Kills a gateway with SIGKILL during writes, while its S3 store keeps running. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openS3Drive } from '../../src/drives/s3/s3-drive.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { DatabaseDriveUploads } from '../../src/state/stores/drive-index-uploads.ts'
import { openUploads, s3DriveOptions } from '../contract/s3-drive-under-test.ts'
import { runCrashRounds } from '../crash/crash-rounds.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { absenceOfMoto, startMoto } from '../support/s3/moto.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 4)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))

it('A gateway killed at random moments loses nothing acknowledged and leaves no upload', {
  skip: absenceOfMoto(),
}, async (t) => {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const moto = await startMoto(t)
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-killed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = {
    DRIVE: `s3+${moto.url}`,
    S3_DRIVE_ACCESS_KEY: moto.accessKey,
    S3_DRIVE_SECRET_KEY: moto.secretKey,
    LOG_LEVEL: 'warn',
  }
  await runCrashRounds(t, {
    ...{ rounds, random: new Random(seed), roundMs: [100, 1500] },
    start: () => startGatewayProcess({ folder, settings }),
    // A sweep at the end aborts them.
    leftovers: () => [],
  })
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(() => database.close())
  const options = await s3DriveOptions(t, moto)
  const drive = await openS3Drive({ ...options, records: new DatabaseDriveUploads(database) })
  t.after(() => drive.close())
  await drive.uploads.sweep(async () => false, 0)
  assert.deepEqual(await openUploads(options, [testBucket]), [])
})
