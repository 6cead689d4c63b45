import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GoogleCalls } from './google-calls.ts'
import { startGoogleEmulator } from './google-emulator.ts'

test('changes rejects a missing, invalid or expired page token', async (t) => {
  const emulator = await startGoogleEmulator({})
  t.after(() => emulator.close())
  const calls = new GoogleCalls(emulator)
  const start = (await calls.api('changes/startPageToken')).json.startPageToken
  assert.equal((await calls.api('changes')).status, 400)
  for (const token of ['x', '99999999', '-1', '1.5']) {
    assert.equal((await calls.api(`changes?pageToken=${token}`)).status, 400, token)
  }
  emulator.files.changes.oldest = Number(start) + 1
  assert.equal((await calls.api(`changes?pageToken=${start}`)).status, 400)
})
