import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FaultScript } from '../fault-script.ts'
import { DavError } from './dav-error.ts'
import { type DavReply, xmlType } from './dav-exchange.ts'
import { parsePath } from './dav-path.ts'
import { answerFileRequest } from './file-requests.ts'
import type { NextcloudFault } from './nextcloud-faults.ts'
import { answerStatusRequest } from './status-requests.ts'
import { answerUploadRequest } from './upload-requests.ts'
import type { Uploads } from './uploads.ts'

/** The number of wrong passwords after which Nextcloud refuses all requests from an address. */
const maxWrongPasswords = 10

export interface NextcloudServerOptions {
  readonly uploads: Uploads
  /** The only accepted value of Authorization. */
  readonly authorization: string
}

/** The HTTP side: authentication, faults and counters. */
export class NextcloudServer {
  readonly faults = new FaultScript<NextcloudFault>()
  /** Requests by method and place: `PUT files`, `MOVE uploads`, `GET status.php`. */
  readonly counters = new Map<string, number>()
  /** Answers 503 to everything but status.php. */
  isMaintained = false
  readonly #uploads: Uploads
  readonly #authorization: string
  #wrongPasswords = 0

  constructor({ uploads, authorization }: NextcloudServerOptions) {
    this.#uploads = uploads
    this.#authorization = authorization
  }

  /** For node's createServer. */
  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => {
      // The client has disconnected.
      response.destroy()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    await this.#uploads.tick()
    const fault = this.faults.take(method, url)
    if (fault?.kind === 'drop-before') {
      request.socket.destroy()
      return
    }
    const reply = await this.#answer(request, fault).catch(refusalOf)
    if (reply === undefined || fault?.kind === 'drop-after') {
      reply?.release?.()
      request.socket.destroy()
      return
    }
    try {
      await send(response, fault?.kind === 'answer-after' ? { status: fault.status } : reply, fault)
    } finally {
      reply.release?.()
    }
  }

  async #answer(
    request: IncomingMessage,
    fault: NextcloudFault | undefined,
  ): Promise<DavReply | undefined> {
    const { method = '', url = '', headers } = request
    const [path = ''] = url.split('?')
    const { place, below } = placeOf(path, this.#uploads.user.uid)
    const counted = `${method} ${place}`
    this.counters.set(counted, (this.counters.get(counted) ?? 0) + 1)
    if (fault?.kind === 'answer') {
      return { status: fault.status, ...(fault.headers && { headers: fault.headers }) }
    }
    if (fault?.kind === 'expire-uploads') this.#uploads.expire()
    if (fault?.kind === 'lose-metadata') this.#uploads.loseMetadata()
    if (place === 'status.php') return answerStatusRequest(path, this.#statusFacts)
    this.#checkMaintenance()
    this.#checkPassword(headers.authorization)
    if (place === 'ocs') return answerStatusRequest(path, this.#statusFacts)
    const call = { request, method, headers, fault, path: parsePath(below) }
    if (place === 'files') return answerFileRequest(this.#uploads.user, call)
    if (place === 'uploads') return answerUploadRequest(this.#uploads, call)
    throw new DavError(404, `${path} could not be located`)
  }

  get #statusFacts() {
    return { isMaintained: this.isMaintained, uid: this.#uploads.user.uid }
  }

  #checkMaintenance(): void {
    if (!this.isMaintained) return
    const headers = { 'x-nextcloud-maintenance-mode': '1', 'retry-after': '120' }
    throw new DavError(503, 'System is in maintenance mode.', headers)
  }

  #checkPassword(authorization: string | undefined): void {
    if (this.#wrongPasswords >= maxWrongPasswords) throw new DavError(429, 'Too Many Requests')
    if (authorization === this.#authorization) return
    if (authorization !== undefined) this.#wrongPasswords++
    const challenge = { 'www-authenticate': 'Basic realm="Nextcloud", charset="UTF-8"' }
    throw new DavError(
      401,
      'No public access to this resource., Username or password was incorrect',
      challenge,
    )
  }
}

function placeOf(path: string, uid: string): { readonly place: string; readonly below: string } {
  const [, area, user, below = ''] =
    /^\/remote\.php\/dav\/(files|uploads)\/([^/]+)(?:\/(.*))?$/.exec(path) ?? []
  if (area !== undefined && user === encodeURIComponent(uid)) return { place: area, below }
  if (path === '/status.php') return { place: 'status.php', below: '' }
  return { place: path.startsWith('/ocs/') ? 'ocs' : 'other', below: '' }
}

function refusalOf(error: unknown): DavReply {
  const refusal = error instanceof DavError ? error : new DavError(500, String(error))
  return {
    status: refusal.status,
    headers: { ...xmlType, ...refusal.headers },
    body: refusal.xml,
  }
}

async function send(
  response: ServerResponse,
  { status, headers = {}, body }: DavReply,
  fault: NextcloudFault | undefined,
): Promise<void> {
  response.writeHead(status, headers)
  if (body === undefined) {
    response.end()
    return
  }
  const stream = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body
  if (fault?.kind === 'truncate') await sendSome(response, stream, fault.bytes)
  else await pipeline(stream, response)
}

/** Sends the first bytes of the body and ends the connection. */
async function sendSome(response: ServerResponse, body: Readable, bytes: number): Promise<void> {
  for await (const chunk of body) {
    await new Promise((resolve) => response.write(chunk.subarray(0, bytes), resolve))
    break
  }
  response.destroy()
}
