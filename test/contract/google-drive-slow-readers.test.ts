import { describe, it } from 'node:test'
import { givesWay, keepsOwnReads, leavesRoom } from './drive/slow-readers.ts'
import { googleWorld } from './google-drive-under-test.ts'

describe('slow readers of low priority on Google Drive', () => {
  it('leave room for others', async (t) => {
    await leavesRoom(await (await googleWorld(t)).open(), 150)
  })

  it('give way to those who wait', async (t) => {
    await givesWay(t, await (await googleWorld(t)).open(), 64)
  })
})

describe('slow reads of the gateway itself on Google Drive', () => {
  it('do not give way', async (t) => {
    await keepsOwnReads(t, await (await googleWorld(t)).open(), 128)
  })
})
