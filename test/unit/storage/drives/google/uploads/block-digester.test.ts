import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { emptyMd5, finishMd5 } from '../../../../../../src/platform/checksums/md5.ts'
import { BlockDigester } from '../../../../../../src/storage/drives/google/uploads/block-digester.ts'
import { bytesOf } from '../../../../../contract/drive/stored-object.ts'

const blockBytes = 256 * 1024

test('digest continues from the state, and returns the bytes', async (t) => {
  const digester = new BlockDigester()
  t.after(() => digester.close())
  const all = bytesOf(3 * blockBytes, 1)
  let state = emptyMd5
  for (let at = 0; at < all.length; at += blockBytes) {
    const block = Buffer.allocUnsafeSlow(blockBytes)
    block.set(all.subarray(at, at + blockBytes))
    const digested = await digester.digest(state, block)
    assert.equal(block.length, 0)
    assert.ok(digested.block.equals(all.subarray(at, at + blockBytes)))
    state = digested.md5
  }
  const expected = createHash('md5').update(all).digest('hex')
  assert.equal(finishMd5(state, new Uint8Array(), all.length), expected)
})
