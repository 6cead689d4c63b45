import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bucket, openDrive } from '../open-drive.ts'

test('a listing that nobody wants any more reads no further folder', async (t) => {
  const { drive, folder } = await openDrive(t)
  for (const name of ['a', 'b', 'c']) fs.mkdirSync(join(folder, name))
  const control = new AbortController()
  const { signal } = control
  const list = () => drive.list(bucket, { prefix: '', after: '', signal })
  assert.deepEqual(await list().next(1), [])
  assert.deepEqual(await list().nextKeys?.(1), [])
  const reason = new Error('the client has left')
  control.abort(reason)
  await assert.rejects(list().next(1), reason)
  await assert.rejects(async () => await list().nextKeys?.(1), reason)
})
