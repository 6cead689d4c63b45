import { createHash } from 'node:crypto'
import { beginUpload } from './open-upload.ts'
import { type Server, signedFetch } from './signed-fetch.ts'
import { md5Of } from './test-bytes.ts'

interface Answer {
  readonly status: number
  readonly text: string
}

/** A multipart upload as a client sends it that numbers its parts, and sends them, as it likes. */
export class UnorderedUpload {
  readonly target: string
  readonly uploadId: string
  /** The bytes of each acknowledged part. */
  readonly parts = new Map<number, Buffer>()

  private constructor(target: string, uploadId: string) {
    this.target = target
    this.uploadId = uploadId
  }

  static async begin(server: Server, target: string): Promise<UnorderedUpload> {
    return new UnorderedUpload(target, await beginUpload(server, target))
  }

  /** Sends a part; it counts if it was acknowledged. */
  async put(server: Server, number: number, body: Buffer<ArrayBuffer>): Promise<Answer> {
    const target = `${this.target}?partNumber=${number}&uploadId=${this.uploadId}`
    const answer = await send(server, 'PUT', target, body)
    if (answer.status === 200) this.parts.set(number, body)
    return answer
  }

  /** The acknowledged parts with these numbers; default: all. */
  complete(server: Server, numbers: readonly number[] = this.numbers): Promise<Answer> {
    const list = numbers.map((number) => {
      const etag = md5Of(this.parts.get(number) ?? Buffer.alloc(0))
      return `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`
    })
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
    return send(server, 'POST', `${this.target}?uploadId=${this.uploadId}`, body)
  }

  abort(server: Server): Promise<Answer> {
    return send(server, 'DELETE', `${this.target}?uploadId=${this.uploadId}`)
  }

  list(server: Server): Promise<Answer> {
    return send(server, 'GET', `${this.target}?uploadId=${this.uploadId}`)
  }

  get numbers(): number[] {
    return [...this.parts.keys()].sort((a, b) => a - b)
  }

  /** The object that these parts become. */
  expected(numbers: readonly number[] = this.numbers) {
    const parts = numbers.map((number) => this.parts.get(number) ?? Buffer.alloc(0))
    const digests = parts.map((part) => createHash('md5').update(part).digest())
    const etag = `"${md5Of(Buffer.concat(digests))}-${parts.length}"`
    return { etag, md5: md5Of(Buffer.concat(parts)) }
  }

  /** The object as it is read; undefined if there is none. */
  async found(server: Server) {
    const reply = await signedFetch(server, { method: 'GET', target: this.target })
    const bytes = Buffer.from(await reply.arrayBuffer())
    if (reply.status === 404) return undefined
    return { etag: reply.headers.get('etag'), md5: md5Of(bytes) }
  }
}

async function send(
  server: Server,
  method: string,
  target: string,
  body?: string | Buffer<ArrayBuffer>,
): Promise<Answer> {
  const request = { method, target, ...(body !== undefined && { body }) }
  const reply = await signedFetch(server, request)
  return { status: reply.status, text: await reply.text() }
}
