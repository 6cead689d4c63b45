import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { emptyMd5, finishMd5, Md5, updateMd5 } from '../../../../src/platform/checksums/md5.ts'

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

const block = 64

describe('updateMd5 and finishMd5', () => {
  // RFC 1321, section A.5.
  const published = [
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    ['1234567890'.repeat(8), '57edf4a22be3c955ac49da2e2107b67a'],
  ] as const
  for (const [text, digest] of published) {
    test(`return the published digest of "${text}"`, () => {
      const bytes = Buffer.from(text)
      const whole = bytes.length - (bytes.length % block)
      const state = updateMd5(emptyMd5, bytes.subarray(0, whole))
      assert.equal(finishMd5(state, bytes.subarray(whole), bytes.length), digest)
    })
  }

  test('agree with OpenSSL wherever the bytes are split', () => {
    const cuts = fc.array(fc.nat({ max: 9 }), { maxLength: 5 })
    fc.assert(
      fc.property(cuts, fc.uint8Array({ maxLength: 130 }), (blocks, tail) => {
        let state = emptyMd5
        const all: Uint8Array[] = []
        for (const [index, count] of blocks.entries()) {
          const bytes = Buffer.alloc(count * block, index + 1)
          state = updateMd5(state, bytes)
          all.push(bytes)
        }
        const bytes = Buffer.concat([...all, tail])
        assert.equal(finishMd5(state, tail, bytes.length), md5Of([bytes]))
      }),
    )
  })

  test('accept bytes that do not begin at a multiple of four', () => {
    const bytes = Buffer.from(Array.from({ length: 200 }, (_, index) => index))
    const part = bytes.subarray(3, 3 + 2 * block)
    assert.equal(finishMd5(updateMd5(emptyMd5, part), Buffer.alloc(0), part.length), md5Of([part]))
  })

  test('count lengths that need more than 32 bits', () => {
    const size = 2 ** 29 + 64
    const state = updateMd5(emptyMd5, Buffer.alloc(block))
    // The padding of 2^29 bytes more is that of 2^32 bits more.
    assert.notEqual(
      finishMd5(state, Buffer.alloc(0), size),
      finishMd5(state, Buffer.alloc(0), block),
    )
  })

  test('reject bytes that are not whole blocks', () => {
    assert.throws(() => updateMd5(emptyMd5, Buffer.alloc(63)), RangeError)
  })
})
