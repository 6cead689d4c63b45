import { before, describe, it } from 'node:test'
import { storeAbilities } from '../support/chosen-drive.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, itAnswers, type WireCase } from '../support/wire-case.ts'

const target = `/${testBucket}/object`
const etag = `"${md5Of(Buffer.from('bytes'))}"`
const longAgo = 'Sat, 01 Jan 2000 00:00:00 GMT'
const farAhead = 'Fri, 01 Jan 2100 00:00:00 GMT'

/**
 * Header fields of a read → status
 * (docs/contract/object-storage.md, "Conditional requests"; RFC 9110 section 13).
 */
const reads: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
  [{ 'if-match': etag }, 200],
  [{ 'if-match': etag.replaceAll('"', '') }, 200],
  [{ 'if-match': `"other", ${etag}` }, 200],
  [{ 'if-match': '*' }, 200],
  [{ 'if-match': '"other"' }, 412],
  [{ 'if-match': `W/${etag}` }, 412],
  [{ 'if-none-match': etag }, 304],
  [{ 'if-none-match': `W/${etag}` }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"other"' }, 200],
  [{ 'if-modified-since': longAgo }, 200],
  [{ 'if-modified-since': farAhead }, 304],
  [{ 'if-unmodified-since': farAhead }, 200],
  [{ 'if-unmodified-since': longAgo }, 412],
  [{ 'if-modified-since': 'nonsense' }, 200],
  [{ 'if-match': etag, 'if-unmodified-since': longAgo }, 200],
  [{ 'if-none-match': '"other"', 'if-modified-since': farAhead }, 200],
  [{ 'if-none-match': etag, 'if-modified-since': longAgo }, 304],
  [{ 'if-match': '"other"', range: 'bytes=0-0' }, 412],
  [{ 'if-range': etag, range: 'bytes=0-0' }, 206],
  [{ 'if-range': '"other"', range: 'bytes=0-0' }, 200],
]

describe('conditions', () => {
  const gateway = useContractGateway()
  before(() => answer(gateway(), put({}, 200)))

  for (const method of ['GET', 'HEAD']) {
    itAnswers(
      gateway,
      reads.map(([headers, status]) => ({
        title: `${method} with ${JSON.stringify(headers)} is ${status}`,
        ...{ method, target, headers, status },
        ...(status === 412 && method === 'GET' && { code: 'PreconditionFailed' }),
        ...(status === 304 && { text: '' }),
        // RFC 9110 section 15.4.5: what a cache needs to update its copy.
        ...(status < 400 && { fields: { etag, 'last-modified': /GMT$/ } }),
      })),
    )
  }

  itAnswers(gateway, [
    put({ 'if-none-match': '*' }, 412, 'PreconditionFailed'),
    put({ 'if-match': '"other"' }, 412, 'PreconditionFailed'),
    ifAble(put({ 'if-match': etag }, 200)),
    ifAble(put({ 'if-none-match': '"other"' }, 200)),
    { ...put({ 'if-match': etag }, 404, 'NoSuchKey'), target: `/${testBucket}/none` },
    ifAble(remove({ 'if-match': '"other"' }, 412, 'PreconditionFailed')),
    { ...ifAble(remove({ 'if-match': '*' }, 404, 'NoSuchKey')), target: `/${testBucket}/none` },
  ])

  it('PutObject with If-None-Match: * creates a missing object', async () => {
    const there = { target: `/${testBucket}/made` }
    await answer(gateway(), { ...ifAble(put({ 'if-none-match': '*' }, 200)), ...there })
    await answer(gateway(), { ...ifAble(remove({ 'if-match': etag }, 204)), ...there })
  })

  it('GetObject returns the object unchanged after failed conditions', async () => {
    await answer(gateway(), { title: '', method: 'GET', target, status: 200, text: 'bytes' })
  })
})

/** What needs a condition of a write gets 501 on a store that does not know it (docs/s3-drive.md). */
function ifAble(wire: WireCase): WireCase {
  const { ifMatch, ifNoneMatch, removeMatching } = storeAbilities()
  const isCreation = wire.headers?.['if-none-match'] === '*'
  const isAble = wire.method === 'DELETE' ? removeMatching : isCreation ? ifNoneMatch : ifMatch
  return isAble ? wire : { ...wire, status: 501, code: 'NotImplemented' }
}

function put(headers: Readonly<Record<string, string>>, status: number, code?: string): WireCase {
  const title = `PutObject with ${JSON.stringify(headers)} is ${status} ${code ?? ''}`
  const body = status === 200 ? 'bytes' : 'must not be written'
  return { title, method: 'PUT', target, headers, body, status, ...(code && { code }) }
}

function remove(
  headers: Readonly<Record<string, string>>,
  status: number,
  code?: string,
): WireCase {
  const title = `DeleteObject with ${JSON.stringify(headers)} is ${status} ${code ?? ''}`
  return { title, method: 'DELETE', target, headers, status, ...(code && { code }) }
}
