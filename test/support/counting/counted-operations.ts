import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type GatewayProcess, testBucket } from '../gateway-process.ts'
import { signedFetch } from '../signed-fetch.ts'
import { signHeaders } from '../signed-request.ts'
import { md5Of } from '../test-bytes.ts'

/** One request, sent several times one after the other, with keys that differ by `index`. */
export interface CountedOperation {
  /** What the request needs, without being counted. */
  readonly prepare?: (client: CountedClient, index: number) => Promise<unknown>
  readonly run: (client: CountedClient, index: number) => Promise<unknown>
  /** Sent once, without a request that warms up. */
  readonly isLong?: boolean
  /**
   * Whether its cheap form is left out for up to 6.4 s after calls were slow (`Pace`), as under strace on a
   * busy machine, or comes when a thread has started. It is then measured again.
   */
  readonly isPaced?: boolean
  /** The share by which its costs may exceed the budget, because they depend on time or the scheduler. */
  readonly tolerance?: number
}

/** While a request holds the lease of an upload, it polls the upload's row. */
const leaseTolerance = 0.35
/** A poll that a busy machine delays is one less in the same time. */
const slowTolerance = 0.5
/** A large body arrives in pieces, some larger than others. */
const largeTolerance = 0.15

interface Sent {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

const kibibyte = new Uint8Array(1024).fill(107)
const largeBytes = 4 * 1024 * 1024
const eight = [1, 2, 3, 4, 5, 6, 7, 8]
const large = new Uint8Array(largeBytes).fill(108)
const chunkBytes = 64 * 1024
const chunkedLarge = awsChunked(large)
const rangeBytes = 64 * 1024

/** Sends signed requests, and knows the uploads it has begun. */
export class CountedClient {
  readonly #gateway: GatewayProcess
  readonly #uploads = new Map<string, string>()

  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway
  }

  async send(method: string, key: string, sent: Sent = {}): Promise<string> {
    const { query, ...rest } = sent
    const path = key === '' ? `/${testBucket}` : `/${testBucket}/${key}`
    const target = query === undefined ? path : `${path}?${query}`
    const reply = await signedFetch(this.#gateway, { method, target, ...rest })
    const text = await reply.text()
    if (!reply.ok || text.includes('<Error>')) {
      throw new Error(`${method} ${target}: ${reply.status} ${text}`)
    }
    return text
  }

  async begin(key: string): Promise<void> {
    const xml = await this.send('POST', key, { query: 'uploads=' })
    this.#uploads.set(key, /<UploadId>([^<]+)/.exec(xml)?.[1] ?? '')
  }

  uploadId(key: string): string {
    return this.#uploads.get(key) ?? ''
  }

  /** A request whose reply has an error. */
  async expect(status: number, method: string, key: string): Promise<void> {
    const reply = await signedFetch(this.#gateway, { method, target: `/${testBucket}/${key}` })
    await reply.arrayBuffer()
    if (reply.status !== status) throw new Error(`${method} ${key}: ${reply.status}`)
  }

  async abort(key: string): Promise<void> {
    await this.send('DELETE', key, { query: `uploadId=${this.uploadId(key)}` })
  }

  async putPart(key: string, number: number, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const query = `partNumber=${number}&uploadId=${this.uploadId(key)}`
    await this.send('PUT', key, { query, body })
  }

  /** Part 1, whose second half is sent after a pause. */
  async putSlowPart(key: string, pauseMs: number): Promise<void> {
    const query = `partNumber=1&uploadId=${this.uploadId(key)}`
    const target = `/${testBucket}/${key}?${query}`
    const { host, credentials } = this.#gateway
    const headers = {
      ...signHeaders({ method: 'PUT', target, host }, credentials),
      'content-length': String(2 * kibibyte.length),
    }
    const sent = request({
      host: '127.0.0.1',
      port: this.#gateway.port,
      method: 'PUT',
      path: target,
      headers,
    })
    const replied = once(sent, 'response')
    sent.write(kibibyte)
    await delay(pauseMs)
    sent.end(kibibyte)
    const [reply] = (await replied) as [IncomingMessage]
    reply.resume()
    if (reply.statusCode !== 200) throw new Error(`UploadPart: ${reply.statusCode}`)
  }

  async complete(key: string): Promise<void> {
    const part = `<Part><PartNumber>1</PartNumber><ETag>${md5Of(kibibyte)}</ETag></Part>`
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`
    await this.send('POST', key, { query: `uploadId=${this.uploadId(key)}`, body })
  }
}

/** As SDKs send a stream: chunks of 64 KiB, and the CRC32 in a trailer. */
function awsChunked(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const chunk = bytes.subarray(start, start + chunkBytes)
    pieces.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  pieces.push(Buffer.from(`0\r\nx-amz-checksum-crc32:${sum.toString('base64')}\r\n\r\n`))
  return Uint8Array.from(Buffer.concat(pieces))
}

const chunkedHeaders = {
  'content-encoding': 'aws-chunked',
  'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'x-amz-decoded-content-length': String(largeBytes),
  'x-amz-trailer': 'x-amz-checksum-crc32',
}

/** In this order: later ones read what earlier ones wrote. */
export const countedOperations = {
  'PUT 1 KiB': {
    run: (client, index) => client.send('PUT', `small/${index}`, { body: kibibyte }),
  },
  'PUT 1 KiB over another': {
    run: (client, index) => client.send('PUT', `small/${index}`, { body: kibibyte }),
    // These are more than 32 PUTs in a row, which start a thread (SmallWrites). On a busy machine, most of them find it reading
    // its modules.
    isPaced: true,
  },
  'eight PUTs of 1 KiB at once': {
    run: (client, index) =>
      Promise.all(
        eight.map((number) => client.send('PUT', `many/${index}-${number}`, { body: kibibyte })),
      ),
    // The thread that writes them starts with the first.
    isPaced: true,
    tolerance: 0.2,
  },
  'PUT 4 MiB': {
    run: (client, index) => client.send('PUT', `large-${index}`, { body: large }),
    // There may be a heartbeat in a request that takes long on a busy machine.
    isPaced: true,
    tolerance: largeTolerance,
  },
  'PUT 4 MiB, aws-chunked': {
    run: (client, index) =>
      client.send('PUT', `large-${index}`, { body: chunkedLarge, headers: chunkedHeaders }),
    isPaced: true,
    tolerance: largeTolerance,
  },
  'GET 1 KiB, the first time': {
    run: (client, index) => client.send('GET', `small/${index}`),
  },
  'GET 1 KiB': {
    run: (client, index) => client.send('GET', `small/${index}`),
    isPaced: true,
  },
  'GET 64 KiB of 4 MiB': {
    run: (client, index) => {
      const range = `bytes=${index * rangeBytes}-${(index + 1) * rangeBytes - 1}`
      return client.send('GET', 'large-0', { headers: { range } })
    },
    isPaced: true,
  },
  'GET of no object': {
    run: (client, index) => client.expect(404, 'GET', `absent-${index}`),
  },
  HEAD: {
    run: (client, index) => client.send('HEAD', `small/${index}`),
    isPaced: true,
  },
  'ListObjectsV2, 10 keys': {
    run: (client) => client.send('GET', '', { query: 'list-type=2&prefix=small/&max-keys=10' }),
  },
  'CopyObject 1 KiB': {
    run: (client, index) => {
      const headers = { 'x-amz-copy-source': `/${testBucket}/small/0` }
      return client.send('PUT', `copy-${index}`, { headers })
    },
    isPaced: true,
  },
  DELETE: {
    run: (client, index) => client.send('DELETE', `copy-${index}`),
  },
  CreateMultipartUpload: {
    run: (client, index) => client.begin(`aborted-${index}`),
  },
  AbortMultipartUpload: {
    run: (client, index) => client.abort(`aborted-${index}`),
    tolerance: leaseTolerance,
  },
  'UploadPart 1 KiB, the first': {
    prepare: (client, index) => client.begin(`upload-${index}`),
    run: (client, index) => client.putPart(`upload-${index}`, 1, kibibyte),
    tolerance: leaseTolerance,
  },
  CompleteMultipartUpload: {
    run: (client, index) => client.complete(`upload-${index}`),
    tolerance: leaseTolerance,
  },
  'UploadPart 1 KiB, behind others': {
    prepare: (client, index) => (index === 0 ? client.begin('parts') : Promise.resolve()),
    run: (client, index) => client.putPart('parts', index + 1, kibibyte),
    tolerance: leaseTolerance,
  },
  'UploadPart that takes 1 s': {
    prepare: (client, index) => client.begin(`slow-${index}`),
    run: (client, index) => client.putSlowPart(`slow-${index}`, 1_000),
    isLong: true,
    tolerance: slowTolerance,
  },
} satisfies Record<string, CountedOperation>
