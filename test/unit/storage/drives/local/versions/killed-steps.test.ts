/**
 * Each change of a key with versions is stopped at each of its calls that change names, as a kill would do. Then another drive
 * over the folder shows the versions from before the change or after it, and so does a copy without the database.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import type { OpenOptions } from '../../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import type { VersionEntry } from '../../../../../../src/storage/drives/versions.ts'
import { shareOf } from '../../../../../support/test-groups.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, log, put, readAll } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const enabledAt = 1_000_000
const steps = ['link', 'rename', 'unlink', 'open'] as const

/** A folder, whose bucket has versions, and what the database has of it. */
class Scene {
  readonly root: string
  readonly records = new MemoryRecords()
  readonly #t: TestContext
  #changes = [enabledAt]

  constructor(t: TestContext) {
    this.#t = t
    this.root = tempFolder(t)
  }

  async open(root = this.root, records = this.records) {
    const versioningOf = () => ({ changes: this.#changes })
    const drive = await openLocalDrive({ root, records, log, versioningOf })
    this.#t.after(() => drive.close())
    await drive.prepare([bucket])
    return drive
  }

  suspend(): void {
    this.#changes = [enabledAt, Date.now()]
  }
}
type OpenedDrive = Awaited<ReturnType<Scene['open']>>

/**
 * The versions of the key, the newest first, with their texts.
 *
 * @param isKnown whether the database has their attributes
 */
async function historyOf(drive: OpenedDrive, isKnown = true) {
  const entries = (await drive.listVersions?.(bucket, { prefix: 'k', after: '' }).next(100)) ?? []
  const history: string[] = []
  for (const entry of entries as VersionEntry[]) {
    const { versionId, isLatest } = entry
    const text = entry.isDeleteMarker ? 'marker' : await textOf(drive, { versionId }, isKnown)
    history.push(`${versionId} ${text}${isLatest ? ' latest' : ''}`)
  }
  const now = await textOf(drive, {}, isKnown)
  const latest = entries.length > 0 && history[0]?.endsWith(' latest') ? history[0] : undefined
  assert.equal(now, latest?.endsWith(' marker latest') ? undefined : latest?.split(' ')[1])
  return [...history, `now ${now}`]
}

async function textOf(drive: OpenedDrive, options: OpenOptions, isKnown: boolean) {
  const object = await drive.open(bucket, 'k', options)
  if (object === undefined) return undefined
  const text = await readAll(object.read(0, object.size))
  if (isKnown) assert.deepEqual(object.attributes, attributesOf(text))
  await object.close()
  return text
}

/**
 * Lets only this many calls that change names pass. The others do nothing, as in a process that was killed.
 *
 * @param hasLinks whether the file system has hard links
 */
function killAfter(t: TestContext, passed: number, hasLinks: boolean) {
  let count = 0
  const mocks = steps.map((name) => {
    const original = PacedFiles.prototype[name] as (...given: unknown[]) => unknown
    return t.mock.method(
      PacedFiles.prototype,
      name,
      function (this: PacedFiles, ...given: never[]) {
        if (name === 'link' && !hasLinks) throw Object.assign(new Error(), { code: 'EPERM' })
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

interface State {
  readonly title: string
  prepare?(drive: OpenedDrive, scene: Scene): Promise<unknown>
}

const states: readonly State[] = [
  { title: 'of an object' },
  { title: 'under a delete marker', prepare: (drive) => drive.remove(bucket, 'k') },
  { title: 'while versions are suspended', prepare: async (_, scene) => scene.suspend() },
  {
    title: 'over a version null',
    async prepare(drive, scene) {
      scene.suspend()
      await put(drive, 'k', 'four')
    },
  },
  {
    title: 'over a marker null',
    async prepare(drive, scene) {
      scene.suspend()
      await drive.remove(bucket, 'k')
    },
  },
]

const cases = changes.flatMap((change) =>
  states.flatMap((state) => [true, false].map((hasLinks) => ({ change, state, hasLinks }))),
)

for (const { change, state, hasLinks } of shareOf(cases, 7)) {
  const where = `${state.title}${hasLinks ? '' : ', without hard links,'}`
  test(`${change.title} ${where} that is killed leaves the versions of before or after`, async (t) => {
    for (let passed = 0; ; passed++) {
      const scene = new Scene(t)
      const drive = await scene.open()
      for (const text of ['one', 'two', 'three']) await put(drive, 'k', text)
      await state.prepare?.(drive, scene)
      const before = await historyOf(drive)
      const ids = before.slice(0, -1).map((line) => line.split(' ')[0] ?? '')
      const kill = killAfter(t, passed, hasLinks)
      const outcome = await change.run(drive, ids).then(
        () => 'done',
        () => 'failed',
      )
      kill.revive()
      const after = await historyOf(await scene.open())
      if (outcome === 'failed')
        assertNeitherLostNorTwice(before, after, `${change.title} ${passed}`)
      // Without the database, and with other inodes.
      const copy = tempFolder(t)
      execFileSync('cp', ['-a', `${scene.root}/.`, copy])
      assert.deepEqual(await historyOf(await scene.open(copy, new MemoryRecords()), false), after)
      // The next writer continues from there, and removes what is left.
      const next = await scene.open()
      const { versionId } = await put(next, 'k', 'last')
      const former = after.slice(0, -1).map((line) => line.replace(' latest', ''))
      const kept = former.filter((line) => versionId !== 'null' || !line.startsWith('null'))
      assert.deepEqual((await historyOf(next)).slice(1, -1), kept)
      assert.equal((await historyOf(next))[0], `${versionId} last latest`)
      if (!kill.wasKilled()) break
    }
  })
}

/** Either nothing happened, or one version was added or removed, or a version `null` has replaced another. */
function assertNeitherLostNorTwice(
  before: readonly string[],
  after: readonly string[],
  title: string,
) {
  const versions = (lines: readonly string[]) =>
    lines.slice(0, -1).map((line) => line.replace(' latest', ''))
  const [old, now] = [versions(before), versions(after)]
  const where = `${title}: ${JSON.stringify({ before, after })}`
  const ids = now.map((line) => line.split(' ')[0])
  assert.equal(new Set(ids).size, ids.length, where)
  const removes = title.startsWith('the removal')
  const isNull = (line: string) => line.startsWith('null ')
  if (!removes && old.some(isNull)) assert.ok(now.some(isNull), where)
  const isReplaced = (line: string) => !removes && isNull(line) && !now.includes(line)
  const [less, more] = removes ? [now, old] : [old.filter((line) => !isReplaced(line)), now]
  assert.ok(more.length - less.length <= 1, where)
  assert.deepEqual(
    more.filter((line) => less.includes(line)),
    less,
    where,
  )
}
