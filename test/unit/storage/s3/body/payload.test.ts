import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import fc from 'fast-check'
import { createChecksum } from '../../../../../src/platform/checksums/checksum.ts'
import {
  declaredSize,
  readPayload,
  requiredSize,
} from '../../../../../src/storage/s3/body/payload.ts'
import { verifyWhenRead } from '../../../../../src/storage/s3/body/signed-body.ts'
import {
  largeBlockBytes,
  maxLargeWriters,
} from '../../../../../src/storage/s3/body/threaded-writer.ts'
import { compatibilityOf } from '../../../../../src/storage/s3/compatibility.ts'
import { fakeRequest } from '../fake-request.ts'
import { type Headers, Kept, md5, read, rejects, request, streaming } from '../payload-fakes.ts'

describe('readPayload', () => {
  test('writes a plain body and returns its size and MD5', async () => {
    const sink = new Kept()
    const digest = await read(request(['hello ', 'world']), sink)
    assert.deepEqual(digest, { size: 11, md5Hex: md5('hello world') })
    assert.equal(sink.bytes.toString(), 'hello world')
  })

  test('writes nothing for an empty body', async () => {
    const sink = new Kept()
    assert.deepEqual(await read(request([]), sink), { size: 0, md5Hex: md5('') })
    assert.equal(sink.chunks.length, 0)
  })

  test('accepts the body, but not when the headers are refused', async () => {
    const acceptBody = mock.fn()
    const headers = { 'content-length': '0' }
    await read(fakeRequest({ headers, acceptBody }), new Kept())
    assert.equal(acceptBody.mock.callCount(), 1)
    const bad = { ...headers, 'content-md5': 'bad' }
    await rejects(read(fakeRequest({ headers: bad, acceptBody }), new Kept()), 'InvalidDigest')
    assert.equal(acceptBody.mock.callCount(), 1)
  })

  test('holds no memory for a body whose signed chunks it refuses', async () => {
    const size = 8 * 1024 * 1024
    const payloadHash = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
    const refused = () => {
      const sent = request([], { 'x-amz-content-sha256': payloadHash })
      // As presigned with Version 2: no chunk has a signature to begin from.
      verifyWhenRead(sent, { payloadHash })
      return rejects(readPayload(sent, new Kept(), { size }), 'SignatureDoesNotMatch')
    }
    for (let count = 0; count < maxLargeWriters; count++) await refused()
    const sink = new Kept()
    await readPayload(request([Buffer.alloc(size)]), sink, { size })
    assert.equal(Math.max(...sink.chunks.map(({ length }) => length)), largeBlockBytes)
  })

  test('writes any body unchanged, plain or chunked, in any pieces', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), fc.boolean(), async (lengths, isChunked, isSized) => {
        const pieces = lengths.map((length, i) => Buffer.alloc(length, `piece ${i} `))
        const whole = Buffer.concat(pieces)
        const sent = isChunked
          ? [...pieces.flatMap((p) => [`${p.length.toString(16)}\r\n`, p, '\r\n']), '0\r\n\r\n']
          : pieces
        const headers: Headers = isChunked ? { ...streaming } : {}
        if (isSized) headers['x-amz-decoded-content-length'] = `${whole.length}`
        const sink = new Kept()
        const digest = await read(request(sent, headers), sink, { algorithm: 'CRC32C' })
        const checksum = createChecksum('CRC32C')
        checksum.update(whole)
        assert.ok(sink.bytes.equals(whole))
        assert.deepEqual(digest, {
          size: whole.length,
          md5Hex: md5(whole),
          checksum: {
            algorithm: 'CRC32C',
            type: 'FULL_OBJECT',
            value: checksum.digest().toString('base64'),
          },
        })
      }),
      { numRuns: 40 },
    )
  })

  test('gathers small pieces into one write', async () => {
    const sink = new Kept()
    const pieces = Array.from({ length: 1000 }, () => Buffer.alloc(1024, 'x'))
    await read(request(pieces), sink)
    assert.deepEqual(
      sink.chunks.map((chunk) => chunk.length),
      [262_144, 262_144, 262_144, 237_568],
    )
  })

  test('returns MissingContentLength without a length, unless the transfer is chunked', async () => {
    assert.throws(() => requiredSize(fakeRequest({ body: [] }), compatibilityOf.contract), {
      code: 'MissingContentLength',
    })
    const chunked = fakeRequest({
      headers: { 'transfer-encoding': 'chunked' },
      body: [Buffer.from('abc')],
    })
    assert.equal(requiredSize(chunked, compatibilityOf.contract), undefined)
    assert.equal((await read(chunked, new Kept())).size, 3)
  })

  test('returns InvalidArgument for a length that is not a number', async () => {
    for (const length of ['-1', '1e3', '', '99999999999999999', 'x']) {
      const headers = { ...streaming, 'x-amz-decoded-content-length': length }
      await rejects(read(request(['0\r\n\r\n'], headers), new Kept()), 'InvalidArgument')
    }
  })

  test('returns IncompleteBody for a body shorter or longer than declared', async () => {
    for (const length of ['2', '4']) {
      await rejects(
        read(request(['abc'], { 'content-length': length }), new Kept()),
        'IncompleteBody',
      )
      const headers = { ...streaming, 'x-amz-decoded-content-length': length }
      await rejects(read(request(['3\r\nabc\r\n0\r\n\r\n'], headers), new Kept()), 'IncompleteBody')
    }
  })

  test('recognizes a chunked body by its payload hash, not by Content-Encoding', async () => {
    const framed = '3\r\nabc\r\n0\r\n\r\n'
    const textOf = async (headers: Record<string, string>) => {
      const sink = new Kept()
      await read(request([framed], headers), sink)
      return sink.bytes.toString()
    }
    for (const name of ['AWS4-HMAC-SHA256-PAYLOAD', 'UNSIGNED-PAYLOAD-TRAILER']) {
      assert.equal(await textOf({ 'x-amz-content-sha256': `STREAMING-${name}` }), 'abc')
    }
    for (const payloadHash of [undefined, 'UNSIGNED-PAYLOAD', 'streaming-x']) {
      const hash = payloadHash === undefined ? {} : { 'x-amz-content-sha256': payloadHash }
      assert.equal(await textOf({ 'content-encoding': 'gzip, aws-chunked', ...hash }), framed)
    }
  })

  test('refuses a framed body without a STREAMING payload hash because of its decoded length', async () => {
    const headers = { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '3' }
    const framed = request(['3\r\nabc\r\n0\r\n\r\n'], headers)
    await rejects(read(framed, new Kept()), 'IncompleteBody')
  })

  test('returns IncompleteBody for a chunked body that ends before its final chunk', async () => {
    await rejects(read(request(['3\r\nabc\r\n'], streaming), new Kept()), 'IncompleteBody')
    await rejects(read(request([], streaming), new Kept()), 'IncompleteBody')
  })
})

describe('readPayload, digests', () => {
  const crc32 = 'NSRBwg==' // of abc
  const md5Base64 = 'kAFQmDzST7DWlj99KOF/cg==' // of abc

  test('accepts a matching Content-MD5 or checksum and returns the checksum', async () => {
    const headers = { 'content-md5': md5Base64, 'x-amz-checksum-crc32': crc32 }
    assert.deepEqual(await read(request(['abc'], headers), new Kept()), {
      size: 3,
      md5Hex: md5('abc'),
      checksum: { algorithm: 'CRC32', value: crc32, type: 'FULL_OBJECT' },
    })
  })

  test('returns BadDigest for one that does not match', async () => {
    const headers: Headers[] = [
      { 'content-md5': md5Base64 },
      { 'x-amz-checksum-crc32': crc32 },
      { 'x-amz-checksum-crc32c': 'AAAAAA==' },
      { 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' },
      { 'x-amz-checksum-sha1': `${'A'.repeat(27)}=` },
      { 'x-amz-checksum-sha256': `${'A'.repeat(43)}=` },
    ]
    for (const header of headers) {
      await rejects(read(request(['abd'], header), new Kept()), 'BadDigest')
    }
  })

  test('verifies a trailer like a header', async () => {
    const send = (trailer: string, announced = 'x-amz-checksum-crc32') => {
      const headers = { ...streaming, 'x-amz-trailer': announced }
      return read(request([`3\r\nabc\r\n0\r\n${trailer}\r\n`], headers), new Kept())
    }
    const good = await send(`x-amz-checksum-crc32:${crc32}\r\n`)
    assert.equal(good.checksum?.value, crc32)
    await rejects(send('x-amz-checksum-crc32:AAAAAA==\r\n'), 'BadDigest')
    await rejects(send('x-amz-checksum-crc32:AAAA\r\n'), 'InvalidDigest')
    await rejects(send('x-amz-checksum-crc32:\r\n'), 'InvalidDigest')
    await rejects(send(''), 'InvalidRequest')
    await rejects(send('x-amz-checksum-crc32c:AAAAAA==\r\n'), 'InvalidRequest')
    await rejects(send(`x-amz-checksum-crc32:${crc32}\r\n`, 'x-other'), 'InvalidRequest')
  })

  test('returns InvalidRequest for a trailer announced for a body without chunks', async () => {
    const headers = { 'x-amz-trailer': 'x-amz-checksum-crc32' }
    await rejects(read(request(['abc'], headers), new Kept()), 'InvalidRequest')
  })

  test('computes the checksum of the upload if none is sent, and refuses another one', async () => {
    const { checksum } = await read(request(['abc']), new Kept(), { algorithm: 'CRC32' })
    assert.equal(checksum?.value, crc32)
    const other = request(['abc'], { 'x-amz-checksum-crc32': crc32 })
    await rejects(read(other, new Kept(), { algorithm: 'SHA256' }), 'InvalidRequest')
  })
})

describe('declaredSize', () => {
  test('is the size of the payload, not of the framing', () => {
    assert.equal(declaredSize(request(['abc'])), 3)
    const headers = { ...streaming, 'x-amz-decoded-content-length': '7' }
    assert.equal(declaredSize(request(['abc'], headers)), 7)
    assert.equal(declaredSize(request(['abc'], streaming)), undefined)
    assert.equal(declaredSize(fakeRequest({})), undefined)
  })
})
