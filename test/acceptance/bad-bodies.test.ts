import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { assertWithin } from '../support/assert-within.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { assertRefused, RawExchange } from '../support/raw-exchange.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { md5Of } from '../support/test-bytes.ts'
import { UnorderedUpload } from '../support/unordered-upload.ts'

/**
 * Bodies that contradict their headers, over raw sockets: a clear error, and the object is
 * unchanged.
 */
const target = `/${testBucket}/victim`
const victimBody = 'the old object'

describe('bad bodies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-bad-bodies-'))
  let gateway: GatewayProcess
  let raw: RawExchange
  before(async () => {
    gateway = await startGatewayProcess({ folder, settings: { LOG_LEVEL: 'warn' } })
    raw = new RawExchange(gateway)
    await signedFetch(gateway, { method: 'PUT', target, body: victimBody })
  })
  after(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    const reply = await signedFetch(gateway, { method: 'GET', target })
    assert.equal(await reply.text(), victimBody, 'the old object was touched')
  })

  for (const body of ['only this', '']) {
    it(`PutObject with ${body.length} of 1000 bytes changes nothing`, async () => {
      const head = raw.head('PUT', target, { headers: { 'content-length': '1000' } })
      // The client may have disconnected before the reply.
      const reply = await raw.send(head + body, { end: true })
      if (reply !== '') assertRefused(reply)
    })
  }

  it('PutObject with no length at all is refused', async () => {
    assertRefused(await raw.send(raw.head('PUT', target)), /<Code>MissingContentLength</)
  })

  for (const [title, unsigned] of Object.entries({
    'a length that is not a number': 'Content-Length: ten\r\n',
    'a negative length': 'Content-Length: -1\r\n',
    'two lengths that differ': 'Content-Length: 3\r\nContent-Length: 4\r\n',
    'a length and a transfer coding': 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
    'an unknown transfer coding': 'Transfer-Encoding: gzip\r\n',
    'a length too large for a number': `Content-Length: ${'9'.repeat(40)}\r\n`,
    'a control character in a header': 'X-Odd: a\u0001b\r\nContent-Length: 3\r\n',
    'a bare line feed in a header': 'X-Odd: a\nContent-Length: 3\r\n',
  })) {
    it(`PutObject with ${title} is refused`, async () => {
      const head = raw.head('PUT', target, { unsigned })
      assertRefused(await raw.send(`${head}abc`, { end: true }))
    })
  }

  for (const [title, body] of Object.entries({
    'a size that is not hexadecimal': 'xyz\r\nabc\r\n0\r\n\r\n',
    'no line end after a chunk': '3\r\nabcdef0\r\n\r\n',
    'a chunk larger than the body': 'ffff\r\nabc\r\n0\r\n\r\n',
    'a size too large for a number': 'ffffffffffffffffffff\r\nabc\r\n0\r\n\r\n',
    'no final chunk': '3\r\nabc\r\n',
    'more bytes than were declared': '4\r\nabcd\r\n0\r\n\r\n',
    'fewer bytes than were declared': '2\r\nab\r\n0\r\n\r\n',
    'bytes after the final chunk': '3\r\nabc\r\n0\r\n\r\nmore',
    'an endless size line': '3'.repeat(70_000),
    'an endless chunk extension': `3;chunk-signature=${'0'.repeat(70_000)}\r\nabc\r\n0\r\n\r\n`,
    'no bytes at all': '',
  })) {
    it(`PutObject in aws-chunked with ${title} is refused`, async () => {
      const headers = {
        'content-encoding': 'aws-chunked',
        'content-length': String(body.length),
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'x-amz-decoded-content-length': '3',
        'x-amz-trailer': 'x-amz-checksum-crc32',
      }
      assertRefused(await raw.send(raw.head('PUT', target, { headers }) + body))
    })
  }

  for (const [name, value] of [
    ['content-md5', '1B2M2Y8AsgTpgAmY7PhCfg=='],
    ['content-md5', 'nonsense'],
    ['x-amz-checksum-crc32', 'AAAAAA=='],
    ['x-amz-checksum-sha256', 'AAAA'],
  ] as const) {
    it(`PutObject with ${name}: ${value} is refused`, async () => {
      const head = raw.head('PUT', target, { headers: { 'content-length': '3', [name]: value } })
      assertRefused(await raw.send(`${head}abc`), /<Code>(BadDigest|InvalidDigest)</)
    })
  }

  for (const [title, xml] of Object.entries(badXml())) {
    it(`DeleteObjects with ${title} is refused at once`, async () => {
      await assertXmlRefused(raw, `/${testBucket}?delete=`, xml)
    })

    it(`CompleteMultipartUpload with ${title} is refused at once`, async () => {
      const created = await signedFetch(gateway, { method: 'POST', target: `${target}?uploads=` })
      const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(await created.text())?.[1] ?? ''
      await assertXmlRefused(raw, `${target}?uploadId=${uploadId}`, xml)
    })
  }

  for (const [title, rest] of Object.entries(excesses())) {
    it(`DeleteObjects with a key and ${title} is refused`, async () => {
      const xml = `<Delete><Object><Key>k</Key></Object>${rest}</Delete>`
      const head = raw.head('POST', `/${testBucket}?delete=`, { headers: lengthOf(xml) })
      assertRefused(await raw.send(head + xml), /<Code>MalformedXML</)
    })

    it(`CompleteMultipartUpload with a part and ${title} is refused`, async () => {
      const upload = await UnorderedUpload.begin(gateway, `/${testBucket}/parts`)
      await upload.put(gateway, 1, Buffer.from('x'))
      const part = `<Part><PartNumber>1</PartNumber><ETag>${md5Of(Buffer.from('x'))}</ETag></Part>`
      const xml = `<CompleteMultipartUpload>${part}${rest}</CompleteMultipartUpload>`
      const path = `${upload.target}?uploadId=${upload.uploadId}`
      const reply = await raw.send(raw.head('POST', path, { headers: lengthOf(xml) }) + xml)
      assertRefused(reply, /<Code>InvalidArgument</)
    })
  }

  it('DeleteObjects takes 1,000 keys with every character written as a reference', async () => {
    const objects = Array.from({ length: 1_000 }, (_, index) => {
      const key = '&#x44F;'.repeat(508) + String(index).padStart(8, '0')
      return `<Object>\r\n<Key>${key}</Key>\r\n<VersionId>null</VersionId>\r\n</Object>\r\n`
    })
    const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects.join('')}</Delete>`
    const request = { method: 'POST', target: `/${testBucket}?delete=`, body }
    const reply = await signedFetch(gateway, request)
    assert.equal((await reply.text()).split('<Deleted>').length, 1_001)
  })

  it('CompleteMultipartUpload reads a list of 10,000 parts in the longest form', async () => {
    const upload = await UnorderedUpload.begin(gateway, `/${testBucket}/parts`)
    const xmlns = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
    const parts = Array.from({ length: 10_000 }, (_, index) => {
      const etag = `<ETag>&quot;${'0'.repeat(32)}&quot;</ETag>`
      const checksum = `<ChecksumSHA256>${'A'.repeat(43)}=</ChecksumSHA256>`
      const number = `<PartNumber>${index + 1}</PartNumber>`
      return `<Part ${xmlns}>\r\n${number}\r\n${etag}\r\n${checksum}\r\n</Part>\r\n`
    })
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const path = `${upload.target}?uploadId=${upload.uploadId}`
    const reply = await signedFetch(gateway, { method: 'POST', target: path, body })
    assert.match(await reply.text(), /<Code>InvalidPart</)
  })

  it('CompleteMultipartUpload of an unknown upload is refused before its body arrives', async () => {
    const upload = await UnorderedUpload.begin(gateway, `/${testBucket}/parts`)
    for (const path of [`${target}?uploadId=${upload.uploadId}`, `${target}?uploadId=none`]) {
      const head = raw.head('POST', path, { headers: { 'content-length': '1000' } })
      await assertWithin(3_000, async () => {
        const startedAtMs = performance.now()
        assertRefused(await raw.send(`${head}<`), /<Code>NoSuchUpload</)
        return performance.now() - startedAtMs
      })
    }
  })
})

function lengthOf(xml: string): Record<string, string> {
  return { 'content-length': String(xml.length) }
}

/** What costs time to parse, and no document needs in this number. */
function excesses(): Record<string, string> {
  const attributes = Array.from({ length: 300_000 }, (_, index) => `a${index}=""`)
  return {
    '1,000,000 empty elements': '<a/>'.repeat(1_000_000),
    '300,000 attributes': `<a ${attributes.join(' ')}/>`,
    '800,000 references': '&lt;'.repeat(800_000),
    '2,000,000 carriage returns': '\r\n'.repeat(2_000_000),
  }
}

async function assertXmlRefused(raw: RawExchange, xmlTarget: string, xml: string): Promise<void> {
  const headers = { 'content-length': String(xml.length) }
  await assertWithin(3_000, async () => {
    const startedAtMs = performance.now()
    const reply = await raw.send(raw.head('POST', xmlTarget, { headers }) + xml)
    // A client that keeps sending much more may be disconnected before it has read the reply.
    if (reply !== '' || xml.length < 4 * 1024 * 1024) assertRefused(reply)
    return performance.now() - startedAtMs
  })
}

function badXml(): Record<string, string> {
  const laughs = Array.from(
    { length: 12 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  )
  const bomb = `<!DOCTYPE d [<!ENTITY l0 "ha">${laughs.join('')}]>`
  const external = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
  return {
    'an entity bomb': `${bomb}<Delete><Object><Key>&l12;</Key></Object></Delete>`,
    'an external entity': `${external}<Delete><Object><Key>&x;</Key></Object></Delete>`,
    'elements nested 100,000 deep': '<a>'.repeat(100_000) + '</a>'.repeat(100_000),
    'more than 4 MiB': `<Delete>${'<Object><Key>k</Key></Object>'.repeat(200_000)}</Delete>`,
    'more than 1000 keys': `<Delete>${'<Object><Key>k</Key></Object>'.repeat(1001)}</Delete>`,
    'text that is not XML': 'this is not XML',
    'an element that is not closed': '<Delete><Object><Key>k</Key>',
    'an empty body': '',
    'an empty root element': '<Delete></Delete>',
    'a null character': '<Delete><Object><Key>\u0000</Key></Object></Delete>',
  }
}
