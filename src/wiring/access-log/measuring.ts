import type { HttpHandler, HttpReply, HttpRequest } from '../../http/message.ts'
import { declaredSize, hasBody } from '../../s3/body/payload.ts'
import type { Measured } from './s3-line.ts'

/** Takes the times and sizes of requests that only the S3 format has. */
export class Measuring {
  readonly #measured = new WeakMap<HttpRequest, Measured>()

  /** The handler, measured. */
  around(handler: HttpHandler): HttpHandler {
    return async (request) => {
      let receivedAt = performance.now()
      if (hasBody(request.headers)) {
        request.body.once('end', () => {
          receivedAt = performance.now()
        })
      }
      const reply = await handler(request)
      this.#measured.set(request, {
        turnAroundMs: performance.now() - receivedAt,
        objectSize: objectSizeOf(request, reply),
      })
      return reply
    }
  }

  /** Undefined for a request that did not reach the handler. */
  of(request: HttpRequest): Measured | undefined {
    return this.#measured.get(request)
  }
}

/** What "Object Size" is for reads and writes of bytes; other requests do not show it. */
function objectSizeOf(request: HttpRequest, reply: HttpReply): number | undefined {
  const { operation } = reply.logFields ?? {}
  if (operation === 'GetObject' || operation === 'HeadObject') return sizeRead(reply)
  const isWrite = operation === 'PutObject' || operation === 'UploadPart'
  return isWrite && reply.status === 200 ? declaredSize(request) : undefined
}

function sizeRead({ status, headers, body }: HttpReply): number | undefined {
  if (status === 206) return numberBehind(/\/(\d+)$/, fieldOf(headers, 'content-range'))
  if (status !== 200) return undefined
  if (body !== undefined) return typeof body === 'string' ? Buffer.byteLength(body) : body.length
  return numberBehind(/^(\d+)$/, fieldOf(headers, 'content-length'))
}

function fieldOf(headers: HttpReply['headers'], name: string): string | undefined {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1]
}

function numberBehind(pattern: RegExp, text = ''): number | undefined {
  const digits = pattern.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
