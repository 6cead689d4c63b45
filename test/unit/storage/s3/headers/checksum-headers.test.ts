import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  checksumBytes,
  checksumHeader,
  createChecksum,
  loadXxHashes,
} from '../../../../../src/platform/checksums/checksum.ts'
import type { PartChecksum } from '../../../../../src/platform/checksums/combine-crcs.ts'
import {
  checksumHeaderOf,
  checksumOfParts,
  expectedDigests,
  uploadChecksum,
} from '../../../../../src/storage/s3/headers/checksum-headers.ts'

const none = { md5Hex: undefined, checksum: undefined }

describe('expectedDigests', () => {
  test('expects nothing when no digest is declared', () => {
    const headers = {
      'x-amz-checksum-algorithm': 'CRC32',
      'x-amz-checksum-mode': 'ENABLED',
      'x-amz-checksum-type': 'FULL_OBJECT',
      'x-amz-trailer': 'x-other',
    }
    assert.deepEqual(expectedDigests(headers), none)
  })

  test('converts Content-MD5 to hex', () => {
    const { md5Hex } = expectedDigests({ 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' })
    assert.equal(md5Hex, 'd41d8cd98f00b204e9800998ecf8427e')
  })

  test('reads a checksum from a header or announced as a trailer', () => {
    assert.deepEqual(expectedDigests({ 'x-amz-checksum-crc32c': 'AAAAAA==' }).checksum, {
      algorithm: 'CRC32C',
      value: 'AAAAAA==',
    })
    const trailer = { 'x-amz-trailer': 'x-other, X-Amz-Checksum-Crc64nvme' }
    assert.deepEqual(expectedDigests(trailer).checksum, { algorithm: 'CRC64NVME' })
  })

  test('uses the checksum that is sent, whatever x-amz-sdk-checksum-algorithm says', () => {
    const headers = {
      'x-amz-checksum-sha1': `${'A'.repeat(27)}=`,
      'x-amz-sdk-checksum-algorithm': 'CRC32',
    }
    assert.equal(expectedDigests(headers).checksum?.algorithm, 'SHA1')
  })

  test('returns InvalidDigest for a value that is not a digest', () => {
    for (const headers of [
      { 'content-md5': '' },
      { 'content-md5': 'd41d8cd98f00b204e9800998ecf8427e' },
      { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg' },
      { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfh==' },
      { 'x-amz-checksum-crc32': 'AAAA' },
      { 'x-amz-checksum-crc32': '' },
      { 'x-amz-checksum-sha256': 'AAAAAA==' },
      { 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA' },
    ]) {
      assert.throws(() => expectedDigests(headers), { code: 'InvalidDigest', status: 400 })
    }
  })

  test('returns InvalidRequest for several checksums, an unknown one or only an algorithm', () => {
    for (const headers of [
      { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' },
      { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-trailer': 'x-amz-checksum-crc32' },
      { 'x-amz-trailer': 'x-amz-checksum-crc32,x-amz-checksum-crc32c' },
      { 'x-amz-checksum-md4': 'AAAAAA==' },
      { 'x-amz-trailer': 'x-amz-checksum-md4' },
      { 'x-amz-sdk-checksum-algorithm': 'CRC32' },
    ]) {
      assert.throws(() => expectedDigests(headers), { code: 'InvalidRequest', status: 400 })
    }
  })
})

describe('checksumHeaderOf', () => {
  test('accepts the composite value of a Complete', () => {
    const headers = { 'x-amz-checksum-crc32': 'AAAAAA==-2' }
    assert.deepEqual(checksumHeaderOf(headers), { algorithm: 'CRC32', value: 'AAAAAA==-2' })
    assert.equal(checksumHeaderOf({ 'x-amz-checksum-type': 'COMPOSITE' }), undefined)
  })
})

describe('uploadChecksum', () => {
  const ask = (algorithm?: string, type?: string) =>
    uploadChecksum({
      ...(algorithm === undefined ? {} : { 'x-amz-checksum-algorithm': algorithm }),
      ...(type === undefined ? {} : { 'x-amz-checksum-type': type }),
    })

  test('uses the default type of the algorithm unless another is requested', () => {
    assert.equal(ask(), undefined)
    assert.deepEqual(ask('CRC32'), { algorithm: 'CRC32', type: 'COMPOSITE' })
    assert.deepEqual(ask('sha256'), { algorithm: 'SHA256', type: 'COMPOSITE' })
    assert.deepEqual(ask('CRC64NVME'), { algorithm: 'CRC64NVME', type: 'FULL_OBJECT' })
    assert.deepEqual(ask('CRC32C', 'FULL_OBJECT'), { algorithm: 'CRC32C', type: 'FULL_OBJECT' })
  })

  test('returns InvalidRequest for combinations that S3 does not have', () => {
    for (const [algorithm, type] of [
      ['MD4', undefined],
      ['MD5', 'FULL_OBJECT'],
      ['XXHASH3', 'FULL_OBJECT'],
      [undefined, 'COMPOSITE'],
      ['SHA1', 'FULL_OBJECT'],
      ['CRC64NVME', 'COMPOSITE'],
      ['CRC32', 'HALF'],
    ] as const) {
      assert.throws(() => ask(algorithm, type), { code: 'InvalidRequest' })
    }
  })
})

function checksum(algorithm: ChecksumAlgorithm, ...pieces: readonly (Uint8Array | string)[]) {
  const hasher = createChecksum(algorithm)
  for (const piece of pieces) hasher.update(Buffer.from(piece))
  return hasher.digest()
}

/** The definition of a reflected CRC, a bit at a time. */
function slowCrc(bits: bigint, polynomial: bigint, bytes: Uint8Array): Buffer {
  const mask = (1n << bits) - 1n
  let crc = mask
  for (const byte of bytes) {
    crc ^= BigInt(byte)
    for (let i = 0; i < 8; i++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n
  }
  return Buffer.from((crc ^ mask).toString(16).padStart(Number(bits) / 4, '0'), 'hex')
}

const polynomials = {
  CRC32: [32n, 0xedb88320n],
  CRC32C: [32n, 0x82f63b78n],
  CRC64NVME: [64n, 0x9a6c9329ac4bc9b5n],
} as const
const mebibyte = Buffer.alloc(2 ** 20, 'x')
const crcs = ['CRC32', 'CRC32C', 'CRC64NVME'] as const

before(loadXxHashes)

describe('createChecksum', () => {
  test('matches the check values of the CRC catalogue', () => {
    const hex = (algorithm: ChecksumAlgorithm) => checksum(algorithm, '123456789').toString('hex')
    assert.equal(hex('CRC32'), 'cbf43926')
    assert.equal(hex('CRC32C'), 'e3069283')
    assert.equal(hex('CRC64NVME'), 'ae8b14860a799888')
  })

  test("matches AWS's published CRC-32C of 66,560 letters a", () => {
    assert.equal(checksum('CRC32C', 'a'.repeat(66_560)).toString('base64'), 'sOO8/Q==')
  })

  for (const algorithm of crcs) {
    test(`${algorithm} of any bytes in any pieces matches the definition`, () => {
      fc.assert(
        fc.property(fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 5 }), (pieces) => {
          const [bits, polynomial] = polynomials[algorithm]
          const expected = slowCrc(bits, polynomial, Buffer.concat(pieces))
          assert.deepEqual(checksum(algorithm, ...pieces), expected)
        }),
      )
    })
  }

  test('uses SHA1 and SHA256 of the platform', () => {
    assert.deepEqual(checksum('SHA1', 'ab', 'c'), createHash('sha1').update('abc').digest())
    assert.deepEqual(checksum('SHA256', 'ab', 'c'), createHash('sha256').update('abc').digest())
  })

  test('xxHash matches its reference implementation, for streams at the same time', () => {
    const text = 'The quick brown fox jumps over the lazy dog'.repeat(1000)
    const expected = {
      XXHASH64: ['ef46db3751d8e999', '8cb841db40e6ae83', 'a8GmidyhSWM='],
      XXHASH3: ['2d06800538d394c2', '72dcb18b67a17dff', 'wMCvmEBhbnU='],
      XXHASH128: [
        '99aa06d3014798d86001c324468d497f',
        '33119477ede5dcd5e9716427681d5860',
        'BaIWsLTozpLAwK+YQGFudQ==',
      ],
    } as const
    for (const [name, [empty, digits, long]] of Object.entries(expected)) {
      const streams = ['', '123456789', text].map((content) => ({
        bytes: Buffer.from(content),
        hasher: createChecksum(name as ChecksumAlgorithm),
      }))
      for (let at = 0; at < text.length; at += 700) {
        for (const { bytes, hasher } of streams) hasher.update(bytes.subarray(at, at + 700))
      }
      const [first, second, third] = streams.map(({ hasher }) => hasher.digest())
      assert.equal(first?.toString('hex'), empty)
      assert.equal(second?.toString('hex'), digits)
      assert.equal(third?.toString('base64'), long)
    }
  })

  test('the digests of every algorithm have their stated length', () => {
    for (const algorithm of checksumAlgorithms) {
      assert.equal(checksum(algorithm, 'x').length, checksumBytes(algorithm))
    }
    assert.equal(checksumHeader('CRC64NVME'), 'x-amz-checksum-crc64nvme')
  })
})

describe('checksumOfParts', () => {
  for (const algorithm of crcs) {
    test(`${algorithm} of the whole object is computed from its parts`, () => {
      fc.assert(
        fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1 }), (pieces) => {
          const parts = pieces.map((piece) => ({
            value: checksum(algorithm, piece).toString('base64'),
            sizeBytes: piece.length,
          }))
          assert.deepEqual(checksumOfParts(algorithm, 'FULL_OBJECT', parts), {
            algorithm,
            type: 'FULL_OBJECT',
            value: checksum(algorithm, ...pieces).toString('base64'),
          })
        }),
      )
    })
  }

  test('a part above 4 GiB gives the same result as its pieces', () => {
    const combine = (parts: readonly PartChecksum[]) =>
      checksumOfParts('CRC64NVME', 'FULL_OBJECT', parts).value
    const part = (bytes: Uint8Array): PartChecksum => ({
      value: checksum('CRC64NVME', bytes).toString('base64'),
      sizeBytes: bytes.length,
    })
    const head = part(Buffer.from('head'))
    const pieces = Array<PartChecksum>(5 * 1024).fill(part(mebibyte))
    const tail = { value: combine(pieces), sizeBytes: 5 * 2 ** 30 }
    assert.equal(combine([head, tail]), combine([head, ...pieces]))
  })

  test('a composite checksum covers the digests and ends in the number of parts', () => {
    const digests = ['one', 'two'].map((text) => createHash('sha256').update(text).digest())
    const parts = digests.map((digest) => ({ value: digest.toString('base64'), sizeBytes: 3 }))
    const expected = createHash('sha256').update(Buffer.concat(digests)).digest('base64')
    const { value, type } = checksumOfParts('SHA256', 'COMPOSITE', parts)
    assert.equal(value, `${expected}-2`)
    assert.equal(type, 'COMPOSITE')
  })

  test('returns InvalidRequest for a type that the algorithm does not have', () => {
    const refused = { code: 'InvalidRequest' }
    assert.throws(() => checksumOfParts('SHA256', 'FULL_OBJECT', []), refused)
    assert.throws(() => checksumOfParts('CRC64NVME', 'COMPOSITE', []), refused)
  })
})
