import { describe, it } from 'node:test'
import { givesWay, keepsOwnReads, leavesRoom } from './drive/slow-readers.ts'
import { googleWorld } from './google-drive-under-test.ts'

describe('slow readers of low priority on Google Drive', () => {
  it('leave connections for others', async (t) => {
    await leavesRoom(await (await googleWorld(t)).open(), 150)
  })

  it('are ended in favour of waiting readers', async (t) => {
    await givesWay(t, await (await googleWorld(t)).open(), 64)
  })
})

describe('slow reads of the gateway itself on Google Drive', () => {
  it('are not ended for others', async (t) => {
    await keepsOwnReads(t, await (await googleWorld(t)).open(), 128)
  })
})
