import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  checksumHeaderOf,
  expectedDigests,
  uploadChecksum,
} from '../../../../../src/storage/s3/checksums/checksum-headers.ts'

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
