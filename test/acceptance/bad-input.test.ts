import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'

/**
 * Requests that no honest client sends, over raw sockets. Whatever comes: a clear S3 error or a
 * closed connection, the object as it was, the gateway alive.
 */
const victim = 'victim'
const victimBody = 'the old object'

describe('bad input', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stowage-bad-input-'))
  let gateway: GatewayProcess

  before(async () => {
    gateway = await startGatewayProcess({ folder, settings: { LOG_LEVEL: 'warn' } })
    const target = targetOf(testBucket, victim)
    await signedFetch(gateway, { method: 'PUT', target, body: victimBody })
  })
  after(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    const target = targetOf(testBucket, victim)
    const reply = await signedFetch(gateway, { method: 'GET', target })
    assert.equal(await reply.text(), victimBody, 'the old object was touched')
  })

  /** A signed head. Headers in `unsigned` are added behind the signature, and may repeat. */
  const headOf = (method: string, target: string, headers: Headers = {}, unsigned = ''): string => {
    const signed = signHeaders({ method, target, host: gateway.host, headers }, gateway.credentials)
    const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${method} ${target} HTTP/1.1\r\n${lines.join('')}${unsigned}\r\n`
  }

  /** Sends the bytes, half-closes if asked to, and resolves with everything that comes back. */
  const exchange = async (bytes: string, { halfClose = false } = {}): Promise<string> => {
    const connection = await RawConnection.open(gateway.port)
    try {
      connection.write(bytes)
      if (halfClose) connection.socket.end()
      return await Promise.race([connection.closed(), firstReply(connection)])
    } finally {
      connection.destroy()
    }
  }
  const target = `/${testBucket}/${victim}`

  for (const [title, sent] of Object.entries({
    'shorter than its length': { declared: 1000, body: 'only this' },
    'that never begins': { declared: 5, body: '' },
  })) {
    it(`PutObject with a body ${title} changes nothing`, async () => {
      const head = headOf('PUT', target, { 'content-length': String(sent.declared) })
      const reply = await exchange(head + sent.body, { halfClose: true })
      assertRefused(reply)
    })
  }

  for (const [title, unsigned] of Object.entries({
    'no length at all': '',
    'a length that is no number': 'Content-Length: ten\r\n',
    'a negative length': 'Content-Length: -1\r\n',
    'two lengths that differ': 'Content-Length: 3\r\nContent-Length: 4\r\n',
    'a length and a transfer coding': 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
    'an unknown transfer coding': 'Transfer-Encoding: gzip\r\n',
    'a length beyond all numbers': `Content-Length: ${'9'.repeat(40)}\r\n`,
    'a control character in a header': 'X-Odd: a\u0001b\r\n',
    'a bare line feed in a header': 'X-Odd: a\nContent-Length: 3\r\n',
  })) {
    it(`PutObject with ${title} is refused`, async () => {
      assertRefused(
        await exchange(`${headOf('PUT', target, {}, unsigned)}abc`, { halfClose: true }),
      )
    })
  }

  for (const [title, body] of Object.entries({
    'a size that is not hexadecimal': 'xyz\r\nabc\r\n0\r\n\r\n',
    'no line end behind a chunk': '3\r\nabcdef0\r\n\r\n',
    'a chunk larger than the body': 'ffff\r\nabc\r\n0\r\n\r\n',
    'a size of twenty digits': '00000000000000000003\r\nabc\r\n0\r\n\r\n',
    'a size beyond all numbers': 'ffffffffffffffffffff\r\nabc\r\n0\r\n\r\n',
    'no final chunk': '3\r\nabc\r\n',
    'more bytes than were declared': '4\r\nabcd\r\n0\r\n\r\n',
    'fewer bytes than were declared': '2\r\nab\r\n0\r\n\r\n',
    'bytes behind the final chunk': '3\r\nabc\r\n0\r\n\r\nmore',
    'an endless size line': '3'.repeat(70_000),
    'an endless chunk extension': `3;chunk-signature=${'0'.repeat(70_000)}\r\nabc\r\n0\r\n\r\n`,
    'no bytes at all': '',
  })) {
    it(`PutObject in aws-chunked with ${title} is refused`, async () => {
      const head = headOf('PUT', target, {
        'content-encoding': 'aws-chunked',
        'content-length': String(body.length),
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'x-amz-decoded-content-length': '3',
        'x-amz-trailer': 'x-amz-checksum-crc32',
      })
      assertRefused(await exchange(head + body))
    })
  }

  it('PutObject with a wrong Content-MD5 or checksum is refused', async () => {
    for (const [name, value] of [
      ['content-md5', '1B2M2Y8AsgTpgAmY7PhCfg=='],
      ['content-md5', 'nonsense'],
      ['x-amz-checksum-crc32', 'AAAAAA=='],
      ['x-amz-checksum-sha256', 'AAAA'],
    ] as const) {
      const head = headOf('PUT', target, { 'content-length': '3', [name]: value })
      assertRefused(await exchange(`${head}abc`), /<Code>(BadDigest|InvalidDigest|InvalidRequest)</)
    }
  })

  for (const [title, xml] of Object.entries(badXml())) {
    for (const [operation, method, query] of [
      ['DeleteObjects', 'POST', `/${testBucket}?delete=`],
      ['CompleteMultipartUpload', 'POST', `${target}?uploadId=`],
    ] as const) {
      it(`${operation} with ${title} is refused at once`, async () => {
        const uploadId = operation === 'DeleteObjects' ? '' : await beginUpload(gateway, target)
        const head = headOf(method, `${query}${uploadId}`, { 'content-length': String(xml.length) })
        const startedAtMs = Date.now()
        assertRefused(await exchange(head + xml))
        assert.ok(Date.now() - startedAtMs < 3000, 'it took long')
      })
    }
  }

  it('a head of more than 64 KiB is refused in the header, the target and the number of headers', async () => {
    const long = 'x'.repeat(100 * 1024)
    assertRefused(await exchange(headOf('GET', target, {}, `X-Long: ${long}\r\n`)))
    assertRefused(await exchange(headOf('GET', `${target}?${long}`)))
    assertRefused(await exchange(headOf('GET', target, {}, 'X-Many: x\r\n'.repeat(20_000))))
  })

  it('lines that are no HTTP are refused', async () => {
    for (const line of [
      '',
      '\u0000\u0001\u0002',
      'GET',
      'GET /',
      '\u0016\u0003\u0001\u0002\u0000',
    ]) {
      assertRefused(await exchange(`${line}\r\n\r\n`, { halfClose: true }))
    }
  })

  it('a key may hold every ASCII character, and bytes that are no UTF-8 are refused', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const escaped = `%${byte.toString(16).padStart(2, '0').toUpperCase()}`
      const path = `/${testBucket}/bytes/a${escaped}b`
      const reply = await exchange(`${headOf('PUT', path, { 'content-length': '4' })}byte`)
      if (byte === 0 && !reply.startsWith('HTTP/1.1 200')) assertRefused(reply)
      else if (byte >= 0x80) assertRefused(reply)
      else {
        assert.match(reply, /^HTTP\/1\.1 200 /, `${escaped}: ${reply}`)
        const got = await exchange(headOf('GET', path))
        assert.ok(
          got.startsWith('HTTP/1.1 200') && got.endsWith('\r\n\r\nbyte'),
          `${escaped}: ${got}`,
        )
      }
    }
    const { body } = { body: await listAll(gateway) }
    for (let byte = 1; byte < 128; byte++) {
      const character = String.fromCharCode(byte)
      assert.ok(body.includes(`bytes/a${character}b`), `byte ${byte} is not listed`)
    }
  })

  it('a target with any raw byte gets an answer or a closed connection', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const path = `/${testBucket}/raw/a${String.fromCharCode(byte)}b`
      const reply = await exchange(headOf('GET', path), { halfClose: true })
      assert.ok(reply === '' || /^HTTP\/1\.1 4/.test(reply), `${byte}: ${reply}`)
    }
  })

  it('keys that look like paths out of the bucket stay in it', async () => {
    const keys = [
      '../x',
      '../../x',
      'a/../../x',
      './x',
      '/x',
      '//x',
      '.stowage/x',
      'a/..',
      '..',
      '.',
    ]
    for (const key of keys) {
      const escaped = `/${testBucket}/${key.replaceAll('.', '%2E')}`
      for (const path of [`/${testBucket}/${key}`, escaped]) {
        const reply = await exchange(`${headOf('PUT', path, { 'content-length': '1' })}x`)
        assert.match(reply, /^HTTP\/1\.1 200 /, `${path}: ${reply}`)
        assert.match(await exchange(headOf('GET', path)), /\r\n\r\nx$/, path)
        assert.match(await exchange(headOf('DELETE', path)), /^HTTP\/1\.1 204 /, path)
      }
    }
    assert.deepEqual(readdirSync(gateway.driveFolder).sort(), ['.stowage', testBucket])
    const beside = readdirSync(folder).filter(
      (name) => name !== 'drive' && !name.startsWith('state.db'),
    )
    assert.deepEqual(beside, [])
  })

  it('200 slow senders do not keep others waiting and leave nothing behind', async () => {
    const connections = await Promise.all(
      Array.from({ length: 200 }, () => RawConnection.open(gateway.port)),
    )
    const head = headOf('PUT', target, { 'content-length': '1000000' })
    for (const [index, connection] of connections.entries()) {
      // A third in the head, a third before the body, a third in the body.
      connection.write([head.slice(0, 60), head, `${head}begun`][index % 3] ?? '')
    }
    const startedAtMs = Date.now()
    const reply = await signedFetch(gateway, { method: 'GET', target })
    assert.equal(await reply.text(), victimBody)
    assert.ok(Date.now() - startedAtMs < 2000, 'others had to wait')
    for (const connection of connections) connection.destroy()
    await whenTrue(() => temporaryFiles(gateway.driveFolder).length === 0, 'temporary files remain')
  })
})

type Headers = Readonly<Record<string, string>>

/** Resolves when a whole reply with a Content-Length has come. Pends for ever otherwise. */
function firstReply(connection: RawConnection): Promise<string> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { received } = connection
      const end = received.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, Math.max(end, 0)))?.[1]
      const isEmpty = /^HTTP\/1\.1 (204|304)/.test(received)
      if (end >= 0 && (isEmpty || received.length >= end + 4 + Number(length))) resolve(received)
    }
    connection.socket.on('data', look)
    look()
  })
}

/** A 4xx with an S3 error in XML, or 501, or nothing but a closed connection. */
function assertRefused(reply: string, code = /<Code>[A-Za-z]+<\/Code>/): void {
  if (reply === '') return
  assert.match(reply, /^HTTP\/1\.1 (4\d\d|501) /)
  assert.match(reply, code)
  assert.match(reply, /\r\ncontent-type: application\/xml\r\n/i)
}

function badXml(): Record<string, string> {
  const laughs = Array.from(
    { length: 12 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  )
  const bomb = (body: string): string =>
    `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "ha">${laughs.join('')}]>${body}`
  return {
    'a bomb of entities': bomb('<Delete><Object><Key>&l12;</Key></Object></Delete>'),
    'an external entity':
      '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>',
    'elements nested 100,000 deep': '<a>'.repeat(100_000) + '</a>'.repeat(100_000),
    'more than 4 MiB': `<Delete>${'<Object><Key>k</Key></Object>'.repeat(200_000)}</Delete>`,
    'text that is no XML': 'this is not XML',
    'an element that is not closed': '<Delete><Object><Key>k</Key>',
    'an empty body': '',
    'nothing in its root': '<Delete></Delete>',
    'a null character': '<Delete><Object><Key>\u0000</Key></Object></Delete>',
  }
}

async function beginUpload(gateway: GatewayProcess, target: string): Promise<string> {
  const reply = await signedFetch(gateway, { method: 'POST', target: `${target}?uploads=` })
  return /<UploadId>(.*?)<\/UploadId>/.exec(await reply.text())?.[1] ?? ''
}

/** All keys of the test's bytes, decoded, one a line. */
async function listAll(gateway: GatewayProcess): Promise<string> {
  const target = `/${testBucket}?encoding-type=url&list-type=2&prefix=bytes%2F`
  const xml = await (await signedFetch(gateway, { method: 'GET', target })).text()
  const keys = [...xml.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
  return keys.map((key) => decodeURIComponent(key.replaceAll('+', ' '))).join('\n')
}

function temporaryFiles(driveFolder: string): string[] {
  const entries = readdirSync(join(driveFolder, '.stowage'), {
    recursive: true,
    withFileTypes: true,
  })
  return entries
    .filter((entry) => entry.isFile() && /[\\/](tmp|locks)([\\/]|$)/.test(entry.parentPath))
    .map((entry) => entry.name)
}

/** Looks again and again until it is so, at most 10 seconds. */
async function whenTrue(isSo: () => boolean, otherwise: string): Promise<void> {
  const deadlineMs = Date.now() + 10_000
  while (!isSo()) {
    assert.ok(Date.now() < deadlineMs, otherwise)
    await delay(50)
  }
}
