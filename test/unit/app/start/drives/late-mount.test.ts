import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../../../../../src/app/settings/read-settings.ts'
import { LateMount } from '../../../../../src/app/start/drives/late-mount.ts'
import { createLog } from '../../../../../src/app/telemetry/log.ts'
import { openDatabase } from '../../../../../src/platform/state/open-database.ts'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { until } from '../../../../support/management-client.ts'

async function openScene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-late-'))
  const nas = join(folder, 'nas')
  const own = join(nas, '.bucketry')
  mkdirSync(join(own, 'tmp'), { recursive: true })
  const settings = await readSettings({
    ACCESS_KEY: 'AK',
    SECRET_KEY: 's'.repeat(20),
    ALLOWED_BUCKETS: 'music@NAS',
    DRIVE: `file:${join(folder, 'main')}`,
    DRIVE_NAS: `file:${nas}`,
    DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
  })
  const database = await openDatabase(settings.database, { migrate: true })
  const lines: { readonly msg: string; readonly err?: { readonly message: string } }[] = []
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
  const nasSettings = settings.drives.find(({ name }) => name === 'NAS')
  assert.ok(nasSettings)
  const counts = { served: 0, closed: 0 }
  const disk = { isGone: false, opening: Promise.resolve() }
  const mount = new LateMount({
    ...{ settings, log, database, own: nasSettings, claimed: new Map(), now: Date.now },
    versioning: undefined,
    role: { kind: 'primary', onDriveLost: () => assert.fail('the default drive is not lost') },
    watch(drive: Drive) {
      const { close } = drive
      counts.served += 1
      drive.close = async () => {
        counts.closed += 1
        await close()
        if (disk.isGone) throw new Error('EIO: i/o error, close')
      }
      return drive
    },
    firstPauseMs: 500,
    // Its drive is opened with all parts, and waits here before it is prepared.
    ...{ madeBuckets: () => disk.opening.then(() => []) },
  })
  t.after(async () => {
    await mount.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    ...{ mount, own, lines, counts, disk },
    /** Writes the notes of another database, whose gateway has taken over the drive. Returns a function that gives it back. */
    takeAway() {
      const notes = ['alive.json', 'owner.json'].map((name) => join(own, name))
      const texts = notes.map((path) => readFileSync(path, 'utf8'))
      const write = (textOf: (text: string) => string) => {
        for (const [index, path] of notes.entries()) writeFileSync(path, textOf(texts[index] ?? ''))
      }
      write((text) => text.replace(/"databaseId":"[^"]+"/, '"databaseId":"other"'))
      return () => write((text) => text)
    },
  }
}

test('a drive that is lost while its files cannot be closed is opened again', async (t) => {
  const { mount, own, lines, disk, takeAway } = await openScene(t)
  await mount.start()
  assert.equal(mount.problem, undefined)
  for (let round = 1; round <= 2; round += 1) {
    disk.isGone = true
    // Nor can it be opened.
    renameSync(join(own, 'tmp'), join(own, 'away'))
    writeFileSync(join(own, 'tmp'), '')
    const giveBack = takeAway()
    await until(
      () => lines.filter(({ msg }) => msg === 'could not close the drive').length === round,
    )
    // It is tried again after a pause.
    await until(() => mount.problem?.includes('is running') === true)
    disk.isGone = false
    rmSync(join(own, 'tmp'))
    renameSync(join(own, 'away'), join(own, 'tmp'))
    giveBack()
    await until(() => mount.problem === undefined)
    await mount.drive.check('writes')
  }
})

test('a drive that is lost while it is being opened is not served, and opened once', async (t) => {
  const { mount, own, lines, counts, disk, takeAway } = await openScene(t)
  const opening = Promise.withResolvers<void>()
  disk.opening = opening.promise
  const starting = mount.start()
  await until(() => {
    try {
      return readFileSync(join(own, 'alive.json'), 'utf8').includes('databaseId')
    } catch {
      return false
    }
  })
  const giveBack = takeAway()
  await until(() => lines.some(({ msg }) => msg.startsWith('the drive is not available')))
  await starting
  opening.resolve()
  for (const deadline = performance.now() + 300; performance.now() < deadline; ) {
    assert.match(mount.problem ?? '', /belongs to another database/)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => mount.problem?.includes('is running') === true)
  giveBack()
  await until(() => mount.problem === undefined)
  await mount.drive.check('writes')
  await mount.close()
  assert.deepEqual(counts, { served: 1, closed: 1 })
})
