/**
 * A process dies between any two steps: calls to Google and writes to the database. Another process
 * continues. No object is torn or duplicated, no acknowledged object is lost, and nothing is left
 * over.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { bucket, bytesOf, get, put } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import {
  driveFolder,
  folderAt,
  type GoogleDrive,
  type GoogleWorld,
  leftoversIn,
} from '../../contract/google-drive-under-test.ts'
import { bury, type Scene, scene } from './mortal-scene.ts'

/** Names in the bucket's tree without the trash, each once. */
function assertNoTwins({ emulator }: Scene): void {
  const walk = (id: string, prefix: string): string[] =>
    emulator.byHand
      .children(id)
      .filter((child) => !child.isTrashed)
      .flatMap((child) => [
        `${prefix}${child.name} ${child.mimeType.endsWith('folder')}`,
        ...walk(child.id, `${prefix}${child.name}/`),
      ])
  const names = walk(folderAt(emulator, `${driveFolder}/${bucket}`), '').sort()
  assert.deepEqual(names, [...new Set(names)])
}

async function assertNothingLeft({ emulator, heir }: Scene): Promise<void> {
  await heir.uploads.sweep(async () => false, -1000)
  const files = leftoversIn(emulator).filter((name) => !isOpenSession(emulator, name))
  assert.deepEqual(files, [])
}

/** An abandoned session expires and is never visible. */
function isOpenSession({ sessions }: GoogleWorld['emulator'], name: string): boolean {
  return sessions.open().some((session) => session.id === name)
}

const old = bytesOf(100_000, 1)
const fresh = bytesOf(120_000, 2)
const large = bytesOf(4_500_000, 3)
const parts = [bytesOf(700_001, 4), bytesOf(300_003, 5)] as const

interface Case {
  readonly name: string
  prepare?(drive: GoogleDrive, key: string): Promise<unknown>
  run(drive: GoogleDrive, key: string): Promise<unknown>
  /** Undefined: no object. */
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

const cases: readonly Case[] = [
  {
    name: 'a small object, new, in a new folder',
    run: (drive, key) => put(drive, key, fresh),
    before: undefined,
    after: fresh,
  },
  {
    name: 'a small object over another',
    prepare: (drive, key) => put(drive, key, old),
    run: (drive, key) => put(drive, key, fresh),
    before: old,
    after: fresh,
  },
  {
    name: 'a large object, new',
    run: (drive, key) => put(drive, key, large),
    before: undefined,
    after: large,
  },
  {
    name: 'a large object over another',
    prepare: (drive, key) => put(drive, key, old),
    run: (drive, key) => put(drive, key, large),
    before: old,
    after: large,
  },
  {
    name: 'a copy over another object',
    async prepare(drive, key) {
      await put(drive, key, old)
      await put(drive, `${key} source`, fresh)
    },
    async run(drive, key) {
      const facts = await drive.head(bucket, `${key} source`)
      assert.ok(facts)
      const source = { bucket, key: `${key} source`, etag: facts.attributes.etag }
      await drive.copy?.(source, { bucket, key }, { attributes: facts.attributes })
    },
    before: old,
    after: fresh,
  },
  {
    name: 'a removal, with the folder',
    prepare: (drive, key) => put(drive, key, old),
    run: (drive, key) => drive.remove(bucket, key),
    before: old,
    after: undefined,
  },
]

describe('a process that dies at any step of', () => {
  for (const { name, prepare, run, before, after } of cases) {
    test(name, { timeout: 120_000 }, async (t) => {
      const it = await scene(t)
      const { mortal, heir, death } = it
      const isOneOf = (bytes: Buffer | undefined) =>
        [before, after].some((one) => (one === undefined ? bytes === one : bytes?.equals(one)))
      for (let step = 1; ; step++) {
        const key = `f${step}/object`
        await prepare?.(heir, key)
        const isDead = await death.at(step, () => run(mortal, key))
        if (isDead) {
          await bury(it)
          assert.ok(isOneOf(await getAgain(heir, key)), `step ${step}: a mixture`)
          await heir.refresh()
          assert.ok(isOneOf(await get(heir, key)), `step ${step}: a mixture, later`)
          await run(heir, key)
        }
        const bytes = await get(heir, key)
        assert.ok(after === undefined ? bytes === undefined : bytes?.equals(after), `step ${step}`)
        await heir.refresh()
        const facts = await heir.head(bucket, key)
        assert.equal(facts?.size, after?.length)
        if (!isDead) break
      }
      assertNoTwins(it)
      await assertNothingLeft(it)
    })
  }

  for (const isOver of [false, true]) {
    for (const [resent, second] of [
      ['the same bytes are sent again', parts[1]],
      ['other bytes are sent', bytesOf(650_007, 6)],
    ] as const) {
      const target = isOver ? ' over another object' : ''
      test(`a multipart upload${target}; ${resent}`, { timeout: 120_000 }, async (t) => {
        const it = await scene(t)
        for (let step = 1; await diesUploading(it, { step, second, isOver }); step++) {
          // Until a step that the work does not reach.
        }
        assertNoTwins(it)
        await assertNothingLeft(it)
      })
    }
  }
})

/** Retries as a client does: the first read may notice a change of the dead process. */
async function getAgain(drive: GoogleDrive, key: string): Promise<Buffer | undefined> {
  try {
    return await get(drive, key)
  } catch (error) {
    if (!(error instanceof DriveError && error.kind === 'changed')) throw error
    return await get(drive, key)
  }
}

interface UploadCase {
  readonly step: number
  /** The second part as it is sent again. */
  readonly second: Buffer
  /** Whether an object already exists. */
  readonly isOver: boolean
}

/** Dies at this step of an upload and continues; false if the upload has fewer steps. */
async function diesUploading(it: Scene, { step, second, isOver }: UploadCase): Promise<boolean> {
  const { mortal, heir, death } = it
  const key = `f${step}/object`
  if (isOver) await put(heir, key, old)
  const upload = await UploadSession.begin(mortal, key)
  let isCompleting = false
  const isDead = await death.at(step, async () => {
    for (const part of parts) await upload.append(part)
    isCompleting = true
    await upload.complete()
  })
  if (isDead) await bury(it)
  upload.moveTo(heir)
  const seen = await getAgain(heir, key)
  const isAsBefore = isOver ? seen?.equals(old) : seen === undefined
  assert.ok(isAsBefore || (isCompleting && seen?.equals(Buffer.concat(parts))), `step ${step}`)
  const isPublished = isCompleting && (await heir.uploads.isPublished(upload.state))
  const mayRefuse = isOver && second !== parts[1]
  const session = isPublished
    ? upload
    : await goOn(upload, { heir, second, isCompleting, mayRefuse })
  assert.ok((await get(heir, key))?.equals(session.bytes), `step ${step}: other bytes`)
  await heir.refresh()
  assert.ok((await get(heir, key))?.equals(session.bytes), `step ${step}: other bytes, later`)
  assert.equal(await heir.uploads.isPublished(session.state), true)
  return isDead
}

interface Rest {
  readonly heir: GoogleDrive
  readonly second: Buffer
  readonly isCompleting: boolean
  /** Bytes can't be taken back from a session that replaces an object's file. */
  readonly mayRefuse: boolean
}

/** Sends the part again or completes again, as a client does after the connection broke. */
async function goOn(session: UploadSession, rest: Rest): Promise<UploadSession> {
  const { heir, second, isCompleting, mayRefuse } = rest
  const [one] = parts
  try {
    if (session.bytes.length === 0) await session.append(one)
    if (session.bytes.length === one.length && !isCompleting) await session.append(second)
  } catch (error) {
    assert.ok(
      mayRefuse && error instanceof DriveError && error.kind === 'upload-gone',
      String(error),
    )
    await session.abort()
    const upload = await UploadSession.begin(heir, session.target.key)
    return await goOn(upload, { ...rest, mayRefuse: false })
  }
  assert.ok(await session.complete())
  return session
}
