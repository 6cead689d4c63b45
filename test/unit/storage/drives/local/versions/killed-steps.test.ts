/**
 * Each change of a key with versions is stopped at each of its calls that change names, as a kill would do. Then another drive
 * over the folder shows the versions from before the change or after it, and so does a copy without the database.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import type { VersionEntry } from '../../../../../../src/storage/drives/versions.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, log, put, readAll } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const versioning = { changes: [1_000_000] }
const steps = ['link', 'rename', 'unlink', 'open'] as const

async function openAt(t: TestContext, root: string, records = new MemoryRecords()) {
  const drive = await openLocalDrive({ root, records, log, versioningOf: () => versioning })
  t.after(() => drive.close())
  await drive.prepare([bucket])
  return drive
}
type OpenedDrive = Awaited<ReturnType<typeof openAt>>

/** The versions of the key, the newest first, with their texts. */
async function historyOf(drive: OpenedDrive) {
  const entries = (await drive.listVersions?.(bucket, { prefix: 'k', after: '' }).next(100)) ?? []
  const history: string[] = []
  for (const entry of entries as VersionEntry[]) {
    const object = await drive.open(bucket, 'k', { versionId: entry.versionId })
    const text = object && (await readAll(object.read(0, object.size)))
    await object?.close()
    const kind = entry.isDeleteMarker ? 'marker' : text
    history.push(`${entry.versionId} ${kind}${entry.isLatest ? ' latest' : ''}`)
  }
  const current = await drive.open(bucket, 'k')
  history.push(`now ${current && (await readAll(current.read(0, current.size)))}`)
  await current?.close()
  return history
}

/** Lets only this many calls that change names pass. The others do nothing, as in a process that was killed. */
function killAfter(t: TestContext, passed: number) {
  let count = 0
  const mocks = steps.map((name) => {
    const original = PacedFiles.prototype[name] as (...given: unknown[]) => unknown
    return t.mock.method(
      PacedFiles.prototype,
      name,
      function (this: PacedFiles, ...given: never[]) {
        const changes = name !== 'open' || ((given[1] ?? 0) & 0o100) !== 0
        if (changes && ++count > passed) throw new Error('killed')
        return original.apply(this, given)
      },
    )
  })
  return {
    revive: () => {
      for (const { mock } of mocks) mock.restore()
    },
    wasKilled: () => count > passed,
  }
}

interface Change {
  readonly title: string
  run(drive: OpenedDrive, ids: readonly string[]): Promise<unknown>
}

const source = { bucket, key: 'k', etag: attributesOf('one').etag }
const changes: readonly Change[] = [
  { title: 'a write', run: (drive) => put(drive, 'k', 'new') },
  { title: 'a removal', run: (drive) => drive.remove(bucket, 'k') },
  {
    title: 'the removal of the newest version',
    run: (drive, [versionId]) => drive.remove(bucket, 'k', { versionId }),
  },
  {
    title: 'the removal of the version before it',
    run: (drive, [, versionId]) => drive.remove(bucket, 'k', { versionId }),
  },
  {
    title: 'a copy of a former version on top',
    run: async (drive, ids) =>
      drive.copy?.(
        { ...source, versionId: ids.at(-1) },
        { bucket, key: 'k' },
        { attributes: attributesOf('one') },
      ),
  },
  {
    title: 'a completed upload',
    async run(drive) {
      const state = await drive.uploads.begin('upload', { bucket, key: 'k' })
      const part = await drive.uploads.append(state, { offset: 0 })
      await part.write(Buffer.from('new'))
      const attributes = attributesOf('new')
      const target = { bucket, key: 'k' }
      await drive.uploads.complete(await part.commit(), { target, attributes, size: 3 })
    },
  },
]

for (const isMarked of [false, true]) {
  for (const { title, run } of changes) {
    const state = isMarked ? 'under a delete marker' : 'of an object'
    test(`${title} ${state} that is killed leaves the versions of before or after`, async (t) => {
      for (let passed = 0; ; passed++) {
        const root = tempFolder(t)
        const records = new MemoryRecords()
        const drive = await openAt(t, root, records)
        for (const text of ['one', 'two', 'three']) await put(drive, 'k', text)
        if (isMarked) await drive.remove(bucket, 'k')
        const before = await historyOf(drive)
        const ids = before.slice(0, -1).map((line) => line.split(' ')[0] ?? '')
        const kill = killAfter(t, passed)
        const outcome = await run(drive, ids).then(
          () => 'done',
          () => 'failed',
        )
        kill.revive()
        const after = await historyOf(await openAt(t, root, records))
        if (outcome === 'failed') assertNeitherLostNorTwice(before, after, title, passed)
        // Without the database, and with other inodes.
        const copy = tempFolder(t)
        execFileSync('cp', ['-a', `${root}/.`, copy])
        assert.deepEqual(await historyOf(await openAt(t, copy)), after)
        // The next writer continues from there, and removes what is left.
        const next = await openAt(t, root, records)
        const { versionId } = await put(next, 'k', 'last')
        const former = after.slice(0, -1).map((line) => line.replace(' latest', ''))
        assert.deepEqual((await historyOf(next)).slice(1, -1), former)
        assert.equal((await historyOf(next))[0], `${versionId} last latest`)
        if (!kill.wasKilled()) break
      }
    })
  }
}

/** Either nothing happened, or one version was added or removed. */
function assertNeitherLostNorTwice(
  before: readonly string[],
  after: readonly string[],
  title: string,
  passed: number,
) {
  const versions = (lines: readonly string[]) =>
    lines.slice(0, -1).map((line) => line.replace(' latest', ''))
  const [old, now] = [versions(before), versions(after)]
  const where = `${title}, after ${passed} steps: ${JSON.stringify({ before, after })}`
  assert.equal(new Set(now).size, now.length, where)
  const removes = title.startsWith('the removal')
  const [less, more] = removes ? [now, old] : [old, now]
  assert.ok(more.length - less.length <= 1, where)
  assert.deepEqual(
    more.filter((line) => less.includes(line)),
    less,
    where,
  )
}
