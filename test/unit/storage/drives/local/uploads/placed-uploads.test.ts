import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../../../src/storage/drives/drive.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import { attributesOf, bucket, get, openDrive } from '../open-drive.ts'

const target = { bucket, key: 'k' }
const slot = 6

interface Placed {
  readonly place: string
  readonly text: string
}

async function place(drive: Drive, state: string, text: string, number?: number): Promise<Placed> {
  const offset = number && (number - 1) * slot
  const draft = await drive.uploads.place?.(state, {
    ...{ number: number ?? 1, size: text.length, offset },
  })
  assert.ok(draft)
  await draft.write(Buffer.from(text))
  return { place: await draft.commit(), text }
}

async function complete(
  drive: Drive,
  state: string,
  parts: readonly Placed[],
  others: readonly Placed[] = [],
) {
  const text = parts.map((part) => part.text).join('')
  const listed = parts.map((part) => ({ place: part.place, size: part.text.length }))
  return await drive.uploads.complete(state, {
    ...{ target, size: text.length, attributes: attributesOf(text) },
    placed: { listed, others: others.map((part) => part.place), isQuiet: true },
  })
}

/** Lists that are completed in a different way each. */
const ways: Readonly<Record<string, (parts: readonly Placed[]) => readonly [Placed[], Placed[]]>> =
  {
    'by a rename': (parts) => [parts.slice(0, 2), parts.slice(3)],
    'by a rename after copying a part': (parts) => [[...parts.slice(0, 2), ...parts.slice(3)], []],
    'by a copy': (parts) => [parts.slice(1, 2), [...parts.slice(0, 1), ...parts.slice(3)]],
  }

/** Parts 1 and 2 in their slots, and one that has none. */
async function scene(t: TestContext, way: keyof typeof ways) {
  const opened = await openDrive(t)
  const { drive } = opened
  const state = await drive.uploads.begin('u', target, { anyOrder: true })
  const parts = [
    await place(drive, state, 'first,', 1),
    await place(drive, state, 'second', 2),
    await place(drive, state, 'replaced'),
    await place(drive, state, ' third, which is long'),
  ]
  const [list, others] = ways[way]?.(parts) ?? []
  assert.ok(list && others)
  const object = async () => {
    const found = await get(drive, 'k')
    return found && [found.text, (await drive.head(bucket, 'k'))?.attributes.etag]
  }
  return { ...opened, state, list, others, object }
}

const calls = {
  promises: ['rename', 'rm', 'writeFile', 'copyFile', 'readdir', 'lstat', 'open'],
  paced: ['rename', 'link', 'unlink', 'open', 'setModified', 'lstat'],
} as const

/** Calls `onCall` before each file system call from now on. */
function watchCalls(t: TestContext, onCall: () => Promise<void> | void): void {
  const hook = (object: object, name: string) => {
    const original = Reflect.get(object, name) as (...given: unknown[]) => unknown
    t.mock.method(
      object as never,
      name as never,
      async function (this: unknown, ...given: never[]) {
        await onCall()
        return await original.apply(this, given)
      } as never,
    )
  }
  for (const name of calls.promises) hook(fs.promises, name)
  for (const name of calls.paced) hook(PacedFiles.prototype, name)
}

/** The text of these parts and its ETag. */
function objectOf(parts: readonly Placed[]) {
  const text = parts.map((part) => part.text).join('')
  return [text, attributesOf(text).etag]
}

for (const way of Object.keys(ways)) {
  test(`Complete ${way} that is killed at any call publishes the object or nothing`, async (t) => {
    let isDone = false
    for (let step = 1; !isDone; step += 1) {
      const { drive, state, list, others, object } = await scene(t, way)
      let count = 0
      watchCalls(t, () => {
        count += 1
        if (count >= step) throw Object.assign(new Error('killed'), { code: 'EIO' })
      })
      await complete(drive, state, list, others).catch(() => undefined)
      t.mock.restoreAll()
      isDone = count < step
      if (await drive.uploads.isPublished(state)) {
        assert.deepEqual(await object(), objectOf(list), `call ${step}`)
      } else {
        assert.equal(await object(), undefined, `call ${step}`)
      }
      await complete(drive, state, list, others)
      assert.deepEqual(await object(), objectOf(list), `call ${step}`)
      await drive.uploads.abort(state)
      await drive.remove(bucket, 'k')
    }
  })

  test(`Complete ${way} publishes nothing after a takeover at any call`, async (t) => {
    let isDone = false
    for (let step = 1; !isDone; step += 1) {
      const { drive, state, list, others, object } = await scene(t, way)
      let count = 0
      let taken: string | undefined
      let wasPublished = false
      watchCalls(t, async () => {
        count += 1
        if (count !== step) return
        taken = await drive.uploads.takeOver?.(state, { isDead: false })
        assert.ok(taken)
        wasPublished = await drive.uploads.isPublished(taken)
      })
      const completed = await Promise.allSettled([complete(drive, state, list, others)])
      t.mock.restoreAll()
      isDone = count < step
      if (taken !== undefined && !wasPublished) {
        assert.equal(completed[0].status, 'rejected', `call ${step}`)
        assert.equal(await object(), undefined, `call ${step}`)
        const resent = await place(drive, taken, 'FIRST,')
        const [, ...rest] = [...list]
        await complete(drive, taken, [resent, ...rest], others)
        assert.deepEqual(await object(), objectOf([resent, ...rest]), `call ${step}`)
      } else {
        assert.deepEqual(await object(), objectOf(list), `call ${step}`)
      }
      await drive.uploads.abort(taken ?? state)
      await drive.remove(bucket, 'k')
    }
  })
}

test('a place that is a path is refused', async (t) => {
  const { drive, state } = await scene(t, 'by a copy')
  for (const text of ['../part-x', 'part-/x', 'data', '@-1', '@', '']) {
    const parts = [{ place: text, text: 'x' }]
    await assert.rejects(complete(drive, state, parts), { kind: 'upload-gone' }, text)
  }
})
