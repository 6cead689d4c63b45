import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ChunkParser } from '../../../../../src/storage/s3/body/chunk-parser.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../../../vectors/aws-chunked.json', import.meta.url), 'utf8'),
)

function decode(pieces: readonly Buffer[]): { payload: Buffer; trailers: object } {
  const parser = new ChunkParser()
  const payload = Buffer.concat(pieces.flatMap((piece) => parser.feed(piece)))
  parser.end()
  return { payload, trailers: Object.fromEntries(parser.trailers) }
}

function decodeText(text: string): { payload: string; trailers: object } {
  const { payload, trailers } = decode([Buffer.from(text, 'latin1')])
  return { payload: payload.toString('latin1'), trailers }
}

function assertBroken(text: string, code = 'InvalidRequest'): void {
  assert.throws(
    () => decodeText(text),
    (error) => error instanceof S3Error && error.code === code && error.status === 400,
    JSON.stringify(text),
  )
}

function publishedBody(signatures: readonly string[], trailer: Record<string, string>): Buffer {
  const chunks = vectors.chunkSizes.map((size: number, i: number) => {
    const head = `${size.toString(16)};chunk-signature=${signatures[i]}\r\n`
    return size === 0 ? head : `${head}${'a'.repeat(size)}\r\n`
  })
  const trailers = Object.entries(trailer).map(([name, value]) => `${name}:${value}\r\n`)
  return Buffer.from([...chunks, ...trailers, '\r\n'].join(''))
}

describe("ChunkParser, AWS's published examples", () => {
  const examples = [
    { name: 'signed chunks', body: publishedBody(vectors.signed, {}), trailers: {} },
    {
      name: 'signed chunks with a trailer',
      body: publishedBody(vectors.signedWithTrailer, vectors.trailer),
      trailers: vectors.trailer,
    },
  ]
  for (const { name, body, trailers } of examples) {
    test(`${name} are decoded whole, byte by byte and split anywhere`, () => {
      const expected = Buffer.alloc(66_560, 'a')
      assert.deepEqual(decode([body]), { payload: expected, trailers })
      const bytes = Array.from(body, (_, i) => body.subarray(i, i + 1))
      assert.deepEqual(decode(bytes), { payload: expected, trailers })
      for (let split = 0; split <= body.length; split++) {
        const parser = new ChunkParser()
        let size = 0
        for (const piece of [body.subarray(0, split), body.subarray(split)]) {
          for (const slice of parser.feed(piece)) size += slice.length
        }
        parser.end()
        assert.equal(size, expected.length)
        assert.equal(parser.trailers.size, Object.keys(trailers).length)
      }
    })
  }

  test('the example with signed chunks has the length that AWS states', () => {
    assert.equal(publishedBody(vectors.signed, {}).length, 66_824)
  })
})

describe('ChunkParser', () => {
  test('decodes any payload, however it is chunked and split', () => {
    const chunk = fc.record({
      data: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      extension: fc.constantFrom('', ';', `;chunk-signature=${'0'.repeat(64)}`, '; a="b"'),
      isUpper: fc.boolean(),
    })
    const trailers = fc.uniqueArray(
      fc.tuple(fc.stringMatching(/^[a-z-]{1,20}$/), fc.stringMatching(/^[!-9;-~]{0,20}$/)),
      { maxLength: 5, selector: ([name]) => name },
    )
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 6 }),
        trailers,
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 10 }),
        (chunks, trailer, steps) => {
          const parts: (Uint8Array | string)[] = []
          for (const { data, extension, isUpper } of chunks) {
            const hex = data.length.toString(16)
            parts.push(`${isUpper ? hex.toUpperCase() : hex}${extension}\r\n`, data, '\r\n')
          }
          parts.push('0\r\n', ...trailer.map(([name, value]) => `${name}:${value}\r\n`), '\r\n')
          const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
          const pieces: Buffer[] = []
          for (let at = 0, i = 0; at < body.length; i++) {
            const step = steps[i % steps.length] ?? 1
            pieces.push(body.subarray(at, at + step))
            at += step
          }
          assert.deepEqual(decode(pieces), {
            payload: Buffer.concat(chunks.map(({ data }) => data)),
            trailers: Object.fromEntries(trailer),
          })
        },
      ),
    )
  })

  test('decodes or refuses any bytes and throws no other error', () => {
    const tokens = ['0\r\n', '\r\n', '3\r\n', 'abc', '\r\n', 'a:b', '\n', ';', ':', '\r']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 12 }), (parts) => {
        try {
          decode(parts.map((part) => Buffer.from(part)))
        } catch (error) {
          assert.ok(error instanceof S3Error)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('returns views of the input, not copies', () => {
    const body = Buffer.from('3\r\nabc\r\n0\r\n\r\n')
    const [slice] = new ChunkParser().feed(body)
    assert.equal(slice?.buffer, body.buffer)
  })

  test('accepts an empty payload, leading zeros in a size and data with line ends', () => {
    assert.equal(decodeText('0\r\n\r\n').payload, '')
    assert.equal(decodeText('0003\r\nabc\r\n000\r\n\r\n').payload, 'abc')
    assert.equal(decodeText('6\r\n0\r\n\r\nb\r\n0\r\n\r\n').payload, '0\r\n\r\nb')
  })

  test('accepts the trailers of minio clients', () => {
    const unsigned = '3\r\nabc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\n\r\n\r\n'
    assert.deepEqual(decodeText(unsigned), {
      payload: 'abc',
      trailers: { 'x-amz-checksum-crc32': 'NSRBwg==' },
    })
    const signed = `3;chunk-signature=a\r\nabc\r\n0;chunk-signature=b\r\nX-Amz-Checksum-CRC32: NSRBwg==\n\r\nx-amz-trailer-signature:c\r\n\r\n`
    assert.deepEqual(decodeText(signed), {
      payload: 'abc',
      trailers: { 'x-amz-checksum-crc32': 'NSRBwg==', 'x-amz-trailer-signature': 'c' },
    })
  })

  test('returns InvalidRequest for broken framing', () => {
    const long = 'x'.repeat(2000)
    const many = Array.from({ length: 17 }, (_, i) => `n${i}:v\r\n`).join('')
    for (const text of [
      '\r\n',
      'xyz\r\n',
      '-1\r\n',
      '0x3\r\nabc\r\n0\r\n\r\n',
      ' 3\r\nabc\r\n0\r\n\r\n',
      '3 \r\nabc\r\n0\r\n\r\n',
      '3\nabc\n0\n\n',
      '3\r\nabcd\r\n0\r\n\r\n',
      '3\r\nabc\n0\r\n\r\n',
      '3\r\nabc0\r\n\r\n',
      'ffffffffffffffff\r\n',
      '11111111111111111\r\n',
      `3;${long}`,
      `3;${long}\r\n`,
      '0\r\n\r\nmore',
      '0\r\n\r\n3\r\nabc\r\n0\r\n\r\n'.replace('abc', 'a:b\n'),
      '0\r\n\r\nx-amz-checksum-crc32:AAAAAA==\r\n',
      '0\r\nno colon\r\n\r\n',
      '0\r\n:value\r\n\r\n',
      '0\r\na b:value\r\n\r\n',
      '0\r\na:b\rc\r\n\r\n',
      '0\r\na:1\r\nA:2\r\n\r\n',
      `0\r\na:${long}\r\n\r\n`,
      `0\r\n${many}\r\n`,
    ]) {
      assertBroken(text.endsWith('more') ? `${text}\r\n` : text)
    }
  })

  test('returns IncompleteBody for a body that ends early at any byte', () => {
    const body = '3;chunk-signature=a\r\nabc\r\n0;chunk-signature=b\r\na:b\r\n\r\n'
    for (let end = 0; end < body.length; end++) assertBroken(body.slice(0, end), 'IncompleteBody')
    assertBroken('0\r\n\r\nmore', 'IncompleteBody')
  })
})
