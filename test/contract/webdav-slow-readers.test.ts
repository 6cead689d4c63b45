import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { buckets } from './drive/drive-suite.ts'
import { givesWay, keepsOwnReads, leavesRoom } from './drive/slow-readers.ts'
import { davWorldOn } from './webdav-world.ts'

async function openedOnApache(t: TestContext) {
  const server = await startApache(t)
  assert.ok(server)
  const drive = await (await davWorldOn(t, server.url)).open()
  await drive.prepare(buckets)
  return drive
}

describe('slow readers of low priority on Apache', { skip: absenceOfApache() }, () => {
  it('leave room for others', async (t) => await leavesRoom(await openedOnApache(t), 60))

  it('give way to waiting readers', async (t) => await givesWay(t, await openedOnApache(t), 24))
})

describe('slow reads of the gateway itself on Apache', { skip: absenceOfApache() }, () => {
  it('do not give way', async (t) => await keepsOwnReads(t, await openedOnApache(t), 48))
})
