import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { GatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { signChunks } from '../../support/signed-chunks.ts'
import type { WireCase } from '../../support/wire-case.ts'

const target = `/${testBucket}/k`
const put = { method: 'PUT', target }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const crcOf = (text: string) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64')
}
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

interface ChangedBody
  extends Pick<WireCase, 'title' | 'headers' | 'body' | 'isUnsigned' | 'error'> {
  readonly aws: readonly [status: number, code: string]
}

/** Uploads whose body differs from what is signed, and how AWS refuses it. */
function changedBodies({ host, credentials }: GatewayInProcess): ChangedBody[] {
  const large = 'x'.repeat(3 * 1024 * 1024)
  const chunked = (trailer?: readonly [string, string]) =>
    signChunks(
      { ...{ ...put, host, chunks: ['a chunk', 'another'] }, ...(trailer && { trailer }) },
      credentials,
    )
  const { headers, body } = chunked()
  const crc = crcOf('a chunkanother')
  const trailed = chunked(['x-amz-checksum-crc32', crc])
  const hashed = (signed: string, sent: string) => ({
    ...{ headers: { 'x-amz-content-sha256': sha256(signed) }, body: bytes(sent) },
    aws: [400, 'XAmzContentSHA256Mismatch'] as const,
    error: { ClientComputedContentSHA256: sha256(signed), S3ComputedContentSHA256: sha256(sent) },
  })
  const refused = [403, 'SignatureDoesNotMatch'] as const
  const raw = { isUnsigned: true, aws: refused }
  return [
    { title: 'a small body', ...hashed('content', 'changed') },
    { title: 'an empty body', ...hashed('content', '') },
    { title: 'a body for the digest thread', ...hashed(large, `${large.slice(1)}y`) },
    { title: 'a chunk', ...raw, headers, body: bytes(body.replace('a chunk', 'A chunk')) },
    {
      title: 'a chunk without a signature',
      ...{ ...raw, headers, body: bytes(body.replace(/;chunk-signature=\w+/, '')) },
    },
    {
      title: 'the last chunk without its signature',
      ...{ ...raw, headers, body: bytes(body.replace(/0;chunk-signature=\w+/, '0')) },
    },
    {
      title: 'a trailer without its signature',
      ...{ ...raw, headers: trailed.headers },
      body: bytes(trailed.body.replace(/x-amz-trailer-signature:\w+\r\n/, '')),
    },
    {
      title: 'a trailer with another signature',
      ...{ ...raw, headers: trailed.headers },
      body: bytes(trailed.body.replace(/(x-amz-trailer-signature:)\w/, '$1x')),
    },
  ]
}

/** Uploads that both modes accept. */
function goodBodies({ host, credentials }: GatewayInProcess): WireCase[] {
  const chunks = ['a chunk', 'another']
  const trailer = ['x-amz-checksum-crc32', crcOf(chunks.join(''))] as const
  const signed = signChunks({ ...put, host, chunks }, credentials)
  const trailed = signChunks({ ...put, host, chunks, trailer }, credentials)
  const large = 'y'.repeat(3 * 1024 * 1024)
  const text = chunks.join('')
  const get = { method: 'GET', target, status: 200 }
  return [
    {
      ...{ title: 'A hash in upper case', ...put, body: bytes('content'), status: 200 },
      headers: { 'x-amz-content-sha256': sha256('content').toUpperCase() },
    },
    {
      ...{ title: 'A large body', ...put, body: bytes(large), status: 200 },
      headers: { 'x-amz-content-sha256': sha256(large) },
    },
    {
      title: 'Signed chunks',
      ...put,
      ...signed,
      body: bytes(signed.body),
      isUnsigned: true,
      status: 200,
    },
    { title: 'are stored', ...get, text },
    {
      ...{ title: 'A signed trailer', ...put, ...trailed, body: bytes(trailed.body) },
      ...{ isUnsigned: true, status: 200, fields: { 'x-amz-checksum-crc32': trailer[1] } },
    },
    { title: 'is stored', ...get, text },
  ]
}

testInBothModes({
  contract: async (gateway) => [
    ...goodBodies(gateway),
    ...changedBodies(gateway).map(({ title, aws: _, error: __, ...changed }) => ({
      ...{ title: `${title} that was changed is stored`, ...put, ...changed, status: 200 },
    })),
  ],
  aws: async (gateway) => [
    ...goodBodies(gateway),
    ...(changedBodies(gateway).flatMap(({ title, aws: [status, code], ...changed }) => [
      { title: `${title} that was changed is refused`, ...put, ...changed, status, code },
    ]) as WireCase[]),
    {
      title: 'A hash that is none is InvalidArgument',
      ...{ ...put, headers: { 'x-amz-content-sha256': 'invalid' }, body: bytes('') },
      ...{ status: 400, code: 'InvalidArgument', error: { ArgumentName: 'x-amz-content-sha256' } },
    },
    {
      title: 'Nothing of that was published',
      ...{ method: 'GET', target, status: 200, text: 'a chunkanother' },
    },
  ],
})
