import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Md5 } from '../../../../../src/platform/checksums/md5/md5.ts'

/** Messages in pieces; the first piece of each comes with the first of all others, and so on. */
function digestTogether(messages: readonly (readonly Uint8Array[])[]): string[] {
  const all = messages.map((pieces) => ({ md5: new Md5(), pieces }))
  const rounds = Math.max(0, ...messages.map(({ length }) => length))
  for (let round = 0; round < rounds; round++) {
    Md5.update(
      all.flatMap(({ md5, pieces }) => {
        const bytes = pieces[round]
        return bytes === undefined ? [] : [{ md5, bytes }]
      }),
    )
  }
  return all.map(({ md5 }) => md5.hex())
}

const md5Of = (pieces: readonly Uint8Array[]) =>
  createHash('md5').update(Buffer.concat(pieces)).digest('hex')

test('Md5 agrees with OpenSSL for any number of messages in any pieces', () => {
  const message = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 18 }), (messages) => {
      assert.deepEqual(digestTogether(messages), messages.map(md5Of))
    }),
  )
})

test('Md5 agrees with OpenSSL beyond the memory of a lane', () => {
  const sizes = [70_001, 200_000, 65_536, 131_072, 1_000_003, 65_537, 300_000, 90_000, 128, 70_000]
  const messages = sizes.map((size, index) => [
    Buffer.from(Array.from({ length: size }, (_, at) => (at * (index + 3) + (at >> 8)) & 0xff)),
  ])
  assert.deepEqual(digestTogether(messages), messages.map(md5Of))
})

test('Md5 does not keep the memory of a piece', () => {
  const piece = Buffer.alloc(100, 1)
  const md5 = new Md5()
  Md5.update([{ md5, bytes: piece }])
  const expected = md5Of([Buffer.alloc(100, 1), Buffer.alloc(100, 2)])
  piece.fill(2)
  Md5.update([{ md5, bytes: piece }])
  assert.equal(md5.hex(), expected)
})
