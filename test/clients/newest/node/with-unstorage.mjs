import assert from 'node:assert/strict'
import { createStorage } from 'unstorage'
import s3Driver from 'unstorage/drivers/s3'
import { bucket, credentials, endpoint, region, same, small } from './place.mjs'

const storage = createStorage({ driver: s3Driver({ bucket, endpoint, region, ...credentials }) })
await storage.setItem('set:one', 'text')
await storage.setItemRaw('set:two', small)
assert.equal(await storage.getItem('set:one'), 'text')
same(Buffer.from(await storage.getItemRaw('set:two')), small)
assert.deepEqual((await storage.getKeys()).sort(), ['set:one', 'set:two'])
await storage.removeItem('absent')
await storage.clear()
assert.deepEqual(await storage.getKeys(), [])
