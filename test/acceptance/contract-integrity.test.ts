import { createHash } from 'node:crypto'
import { before, describe } from 'node:test'
import { storeAbilities } from '../support/chosen-drive.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { answer, itAnswers, type WireCase } from '../support/wire-case.ts'

const target = `/${testBucket}/object`
const text = '123456789'

/** The check values of the CRCs are published for this text (reveng.sourceforge.io). */
const checksums: Readonly<Record<string, string>> = {
  crc32: Buffer.from('cbf43926', 'hex').toString('base64'),
  crc32c: Buffer.from('e3069283', 'hex').toString('base64'),
  crc64nvme: Buffer.from('ae8b14860a799888', 'hex').toString('base64'),
  sha1: createHash('sha1').update(text).digest('base64'),
  sha256: createHash('sha256').update(text).digest('base64'),
}
/** The contract does not name these. Those of xxHash are from its reference implementation. */
const newer: Readonly<Record<string, string>> = {
  md5: createHash('md5').update(text).digest('base64'),
  sha512: createHash('sha512').update(text).digest('base64'),
  xxhash64: Buffer.from('8cb841db40e6ae83', 'hex').toString('base64'),
  xxhash3: Buffer.from('72dcb18b67a17dff', 'hex').toString('base64'),
  xxhash128: Buffer.from('33119477ede5dcd5e9716427681d5860', 'hex').toString('base64'),
}
const all = Object.entries({ ...checksums, ...newer })
const md5 = createHash('md5').update(text).digest('base64')

/** docs/contract/object-storage.md, "Integrity" and "aws-chunked bodies". */
describe('integrity', () => {
  const gateway = useContractGateway()
  before(() => answer(gateway(), put('', { headers: {}, body: 'as it was' }, 200)))

  itAnswers(gateway, [
    ...all.flatMap(([name, value]) => {
      const header = `x-amz-checksum-${name}`
      const other = Buffer.from(value, 'base64').map((byte) => byte ^ 1)
      const wrong = Buffer.from(other).toString('base64')
      return [
        put(`a wrong ${header}`, { headers: { [header]: wrong } }, 400, 'BadDigest'),
        put(`a malformed ${header}`, { headers: { [header]: 'AAA' } }, 400, 'InvalidDigest'),
        put(`a wrong ${header} as trailer`, trailing(header, wrong), 400, 'BadDigest'),
      ]
    }),
    put(
      'a wrong Content-MD5',
      { headers: { 'content-md5': md5.replace(/^./, 'A') } },
      400,
      'BadDigest',
    ),
    put('a malformed Content-MD5', { headers: { 'content-md5': 'AAAA' } }, 400, 'InvalidDigest'),
    put(
      'an unknown checksum',
      { headers: { 'x-amz-checksum-md2': 'AAAA' } },
      400,
      'InvalidRequest',
    ),
    put(
      'a trailer that does not come',
      { ...trailing('x-amz-checksum-crc32', ''), body: `9\r\n${text}\r\n0\r\n\r\n` },
      400,
      'InvalidRequest',
    ),
    put(
      'chunks that are none',
      { ...trailing('x-amz-checksum-crc32', ''), body: `x\r\n${text}\r\n0\r\n\r\n` },
      400,
      'InvalidRequest',
    ),
    put(
      'chunks that stop early',
      { ...trailing('x-amz-checksum-crc32', ''), body: `9\r\n${text}\r\n` },
      400,
      'IncompleteBody',
    ),
    {
      title: 'GetObject returns the object unchanged after refused bodies',
      ...{ method: 'GET', target, status: 200, text: 'as it was' },
    },
  ])

  itAnswers(gateway, [
    put('its Content-MD5', { headers: { 'content-md5': md5 } }, 200),
    ...all.flatMap(([name, value]) => {
      const header = `x-amz-checksum-${name}`
      const fields = { [header]: value, 'x-amz-checksum-type': 'FULL_OBJECT' }
      const isKept = storeAbilities()[name in newer ? 'newerChecksums' : 'checksums']
      const read = {
        ...{ target, status: 200, headers: { 'x-amz-checksum-mode': 'ENABLED' } },
        ...(isKept && { fields }),
      }
      return [
        { ...put(`its ${header}`, { headers: { [header]: value } }, 200), fields },
        { title: `HeadObject returns the ${header} of a header`, method: 'HEAD', ...read },
        { ...put(`its ${header} as trailer`, trailing(header, value), 200), fields },
        { title: `GetObject returns the ${header} of a trailer`, method: 'GET', ...read, text },
      ]
    }),
    put(
      'signed chunks without verifying their signatures',
      {
        headers: {
          'content-encoding': 'aws-chunked,x-mine',
          'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
          'x-amz-decoded-content-length': '9',
        },
        body: `4;chunk-signature=${'0'.repeat(64)}\r\n1234\r\n5;chunk-signature=x\r\n56789\r\n0;chunk-signature=x\r\n\r\n`,
      },
      200,
    ),
    {
      title: 'GetObject returns an object uploaded in chunks without aws-chunked',
      ...{ method: 'GET', target, status: 200, text },
    },
    {
      title: 'HeadObject of an object uploaded in chunks keeps its other Content-Encoding',
      ...{ method: 'HEAD', target, status: 200, fields: { 'content-encoding': 'x-mine' } },
    },
  ])
})

function put(
  what: string,
  { headers, body = text }: Pick<WireCase, 'headers' | 'body'>,
  status: number,
  code?: string,
): WireCase {
  const title = `PutObject with ${what} is ${status} ${code ?? ''}`
  return {
    title,
    method: 'PUT',
    target,
    headers: { ...headers },
    body,
    status,
    ...(code && { code }),
  }
}

/** A body in one unsigned chunk followed by a trailer, as current SDKs send it over HTTPS. */
function trailing(name: string, value: string) {
  return {
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'x-amz-decoded-content-length': '9',
      'x-amz-trailer': name,
    },
    body: `9\r\n${text}\r\n0\r\n${name}:${value}\r\n\r\n`,
  }
}
