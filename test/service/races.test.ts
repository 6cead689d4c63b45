import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'

/**
 * Clients that do things at the same time, against a gateway with its default number of processes:
 * what keeps them apart must hold across processes.
 */
describe('clients at the same time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-races-'))
  let gateway: GatewayProcess
  before(async () => {
    gateway = await startGatewayProcess({ folder, settings: { LOG_LEVEL: 'warn' } })
  })
  after(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const send = (method: string, key: string, rest: Rest = {}): Promise<Response> => {
    const { query, ...options } = rest
    const path = targetOf(testBucket, key)
    const target = query === undefined ? path : `${path}?${query}`
    return signedFetch(gateway, { method, target, ...options })
  }
  const sendAll = (count: number, sendOne: (index: number) => Promise<Response>) =>
    Promise.all(Array.from({ length: count }, (_, index) => sendOne(index)))

  it('PutObject with If-None-Match: * has one winner of 32', async () => {
    for (let round = 0; round < 5; round++) {
      const key = `one-winner/${round}`
      const headers = { 'if-none-match': '*' }
      const replies = await sendAll(32, (index) =>
        send('PUT', key, { headers, body: `writer ${index}` }),
      )
      const winners = [...replies.keys()].filter((index) => replies[index]?.status === 200)
      const losers = replies.filter(({ status }) => status === 412)
      assert.equal(winners.length, 1, replies.map(({ status }) => status).join())
      assert.equal(losers.length, 31)
      assert.match((await losers[0]?.text()) ?? '', /<Code>PreconditionFailed<\/Code>/)
      await drain(replies)
      assert.equal(await (await send('GET', key)).text(), `writer ${winners[0]}`)
    }
  })

  it('PutObject with If-Match of the current ETag has one winner of 32', async () => {
    await drain([await send('PUT', 'compare-and-swap', { body: 'first' })])
    const headers = { 'if-match': `"${md5Of(Buffer.from('first'))}"` }
    const replies = await sendAll(32, (index) =>
      send('PUT', 'compare-and-swap', { headers, body: `writer ${index}` }),
    )
    await drain(replies)
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array.from({ length: 31 }, () => 412)])
    const winner = replies.findIndex(({ status }) => status === 200)
    assert.equal(await (await send('GET', 'compare-and-swap')).text(), `writer ${winner}`)
  })

  it('readers during overwrites see one version whole, and never an older one again', async () => {
    const sizes = [0, 1, 1000, 65_536, 65_537, 300_000, 2_000_000]
    const versions = sizes.map((size) => testBytes(`overwritten ${size}`, size))
    const etags = versions.map((bytes) => `"${md5Of(bytes)}"`)
    await drain([await send('PUT', 'overwritten', { body: versions[0] ?? '' })])
    // Version n has the contents of versions[n % length]; this is the last one acknowledged.
    let acknowledged = 0
    const last = 150
    const readUntilLast = async (): Promise<void> => {
      let seen = 0
      while (acknowledged < last) {
        const least = Math.max(acknowledged, seen)
        const reply = await send('GET', 'overwritten')
        const bytes = Buffer.from(await reply.arrayBuffer())
        assert.equal(reply.status, 200)
        assert.equal(reply.headers.get('content-length'), String(bytes.length))
        assert.equal(reply.headers.get('etag'), `"${md5Of(bytes)}"`)
        const index = etags.indexOf(reply.headers.get('etag') ?? '')
        assert.notEqual(index, -1, 'a mixture of versions')
        // The first version number from `least` on with these contents: not beyond the last one begun.
        seen = least + ((index - (least % sizes.length) + sizes.length) % sizes.length)
        assert.ok(seen <= acknowledged + 1, `read ${seen}, begun ${acknowledged + 1}`)
      }
    }
    const overwrite = async (): Promise<void> => {
      while (acknowledged < last) {
        const body = versions[(acknowledged + 1) % sizes.length] ?? ''
        const reply = await send('PUT', 'overwritten', { body })
        assert.equal(reply.status, 200, await reply.text())
        acknowledged++
      }
    }
    await Promise.all([overwrite(), ...Array.from({ length: 6 }, readUntilLast)])
  })

  it('two Completes of one upload create one object and return one answer', async () => {
    for (let round = 0; round < 5; round++) {
      const { query, body, bytes } = await uploadParts(send, `completed/${round}`)
      const replies = await sendAll(2, () => send('POST', `completed/${round}`, { query, body }))
      const texts = await Promise.all(replies.map((reply) => reply.text()))
      // The second may find the first still at work: 503 says so.
      const etags = texts.flatMap((text) => /<ETag>(.*?)<\/ETag>/.exec(text)?.[1] ?? [])
      assert.ok(etags.length >= 1, texts.join('\n'))
      assert.equal(new Set(etags).size, 1)
      assert.ok(
        replies.every(({ status }) => status === 200 || status === 503),
        texts.join('\n'),
      )
      const got = await send('GET', `completed/${round}`)
      assert.deepEqual(Buffer.from(await got.arrayBuffer()), bytes)
    }
  })

  it('CompleteMultipartUpload against Abort ends with the object or without, as answered', async () => {
    for (let round = 0; round < 8; round++) {
      const key = `aborted/${round}`
      const { query, body, bytes } = await uploadParts(send, key)
      const [completed, aborted] = await Promise.all([
        send('POST', key, { query, body }),
        send('DELETE', key, { query }),
      ])
      const answer = await completed.text()
      await drain([aborted])
      const got = await send('GET', key)
      const found = Buffer.from(await got.arrayBuffer())
      assert.ok([200, 404, 503].includes(completed.status), answer)
      if (completed.status === 200 && answer.includes('<ETag>')) assert.deepEqual(found, bytes)
      else assert.equal(got.status, 404)
    }
  })

  it('PutObject beside DeleteObject in one folder never loses the folder under a writer', async () => {
    const churn = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 40; turn++) {
        const key = `churn/deep/${name}`
        const put = await send('PUT', key, { body: name })
        assert.equal(put.status, 200, await put.text())
        const removed = await send('DELETE', key)
        assert.equal(removed.status, 204, await removed.text())
      }
    }
    await Promise.all(['a', 'b', 'c', 'd'].map(churn))
    assert.equal(existsSync(join(gateway.driveFolder, testBucket, 'churn')), false)
  })

  it('PutObject of `a` and `a/b` at once keeps both objects', async () => {
    for (let round = 0; round < 10; round++) {
      const keys = [`beside-${round}`, `beside-${round}/b`, `beside-${round}/b/c`]
      const replies = await Promise.all(keys.map((key) => send('PUT', key, { body: key })))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200],
      )
      await drain(replies)
      for (const key of keys) assert.equal(await (await send('GET', key)).text(), key)
    }
  })

  it('UploadPart sent twice at once counts once', async () => {
    const created = await (await send('POST', 'twice', { query: 'uploads=' })).text()
    const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(created)?.[1] ?? ''
    const bytes = testBytes('sent twice', 1_000_000)
    const query = `partNumber=1&uploadId=${uploadId}`
    const replies = await sendAll(2, () => send('PUT', 'twice', { query, body: bytes }))
    const answers = await Promise.all(replies.map((reply) => reply.text()))
    assert.ok(
      replies.some(({ status }) => status === 200),
      answers.join('\n'),
    )
    assert.ok(
      replies.every(({ status }) => status === 200 || status === 503),
      answers.join('\n'),
    )
    const body = completion([md5Of(bytes)])
    const completed = await send('POST', 'twice', { query: `uploadId=${uploadId}`, body })
    assert.equal(completed.status, 200, await completed.text())
    const got = await send('GET', 'twice')
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), bytes)
  })
})

interface Rest {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

type Send = (method: string, key: string, rest?: Rest) => Promise<Response>

interface ReadyUpload {
  readonly query: string
  /** For Complete. */
  readonly body: string
  readonly bytes: Buffer
}

/** An upload of three parts that only waits for Complete. */
async function uploadParts(send: Send, key: string): Promise<ReadyUpload> {
  const created = await (await send('POST', key, { query: 'uploads=' })).text()
  const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(created)?.[1] ?? ''
  const parts = [1, 2, 3].map((number) => testBytes(`${key} part ${number}`, 100_000 * number))
  for (const [index, body] of parts.entries()) {
    const query = `partNumber=${index + 1}&uploadId=${uploadId}`
    const reply = await send('PUT', key, { query, body })
    assert.equal(reply.status, 200, await reply.text())
  }
  const query = `uploadId=${uploadId}`
  return { query, body: completion(parts.map(md5Of)), bytes: Buffer.concat(parts) }
}

function completion(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
}

/** Reads and discards the bodies, so that the connections can be reused. */
async function drain(replies: readonly Response[]): Promise<void> {
  await Promise.all(replies.map((reply) => (reply.bodyUsed ? undefined : reply.arrayBuffer())))
}
