/** A key with versions, and the changes of it, for tests that disturb them at each step. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { OpenOptions } from '../../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import type { VersionEntry } from '../../../../../../src/storage/drives/versions.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, log, put, readAll } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const enabledAt = 1_000_000

/** A folder, whose bucket has versions, and what the database has of it. */
export class Scene {
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
export type OpenedDrive = Awaited<ReturnType<Scene['open']>>

/**
 * The versions of the key, the newest first, with their texts.
 *
 * @param isKnown whether the database has their attributes
 */
export async function historyOf(drive: OpenedDrive, isKnown = true) {
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

export interface Change {
  readonly title: string
  run(drive: OpenedDrive, ids: readonly string[]): Promise<unknown>
}

/** Of no version. */
const strangeId = '20200101T000000.000Z'

const source = { bucket, key: 'k', etag: attributesOf('one').etag }
export const changes: readonly Change[] = [
  { title: 'a write', run: (drive) => put(drive, 'k', 'new') },
  { title: 'a removal', run: (drive) => drive.remove(bucket, 'k') },
  {
    title: 'the removal of the newest version',
    run: (drive, [versionId]) => drive.remove(bucket, 'k', { versionId }),
  },
  {
    title: 'the removal of the version before it',
    run: (drive, [, versionId = strangeId]) => drive.remove(bucket, 'k', { versionId }),
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

export interface State {
  readonly title: string
  prepare?(drive: OpenedDrive, scene: Scene): Promise<unknown>
}

export const states: readonly State[] = [
  { title: 'of an object' },
  {
    // Also its folder is made.
    title: 'of an object without former versions',
    async prepare(drive) {
      const versions = (await historyOf(drive)).slice(0, -1)
      for (const line of versions) {
        await drive.remove(bucket, 'k', { versionId: line.split(' ')[0] })
      }
      await put(drive, 'k', 'one')
    },
  },
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

type StepName = 'link' | 'rename' | 'unlink' | 'open' | 'write'

/** A call that adds or removes a name, or one to write. Other calls of `open` are not steps. */
const createFlag = 0o100

/**
 * Calls `disturb` before each step of these kinds: what it throws is what the step does instead.
 *
 * @returns what undoes this
 */
export function disturbSteps(
  t: TestContext,
  names: readonly StepName[],
  disturb: (name: StepName) => void,
): () => void {
  const mocks = names.map((name) => {
    const original = PacedFiles.prototype[name] as (...given: unknown[]) => unknown
    return t.mock.method(
      PacedFiles.prototype,
      name,
      function (this: PacedFiles, ...given: never[]) {
        if (name !== 'open' || ((given[1] ?? 0) & createFlag) !== 0) disturb(name)
        return original.apply(this, given)
      },
    )
  })
  return () => {
    for (const { mock } of mocks) mock.restore()
  }
}
