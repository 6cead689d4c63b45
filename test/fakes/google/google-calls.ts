import type { GoogleEmulator } from './google-emulator.ts'

/** A reply of the emulator, read whole. */
export interface RawReply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies whose shape is what they test.
  readonly json: any
}

export interface RawCall {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is bytes. */
  readonly body?: unknown
  /** `null`: none. */
  readonly token?: string | null
}

/** Calls Drive directly, without a client library. */
export class GoogleCalls {
  readonly #emulator: GoogleEmulator
  readonly token: string

  constructor(emulator: GoogleEmulator) {
    this.#emulator = emulator
    this.token = emulator.desk.issue('user')
  }

  /** A call of the metadata endpoints: `files?q=…`. */
  api(path: string, call: RawCall = {}): Promise<RawReply> {
    return this.send(`${this.#emulator.endpoints.api}/${path}`, call)
  }

  upload(path: string, call: RawCall = {}): Promise<RawReply> {
    return this.send(`${this.#emulator.endpoints.upload}/${path}`, call)
  }

  async send(url: string, { method, headers, body, token }: RawCall): Promise<RawReply> {
    const isJson = body !== undefined && !(body instanceof Uint8Array)
    const bearer = token === undefined ? this.token : token
    const reply = await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : Buffer.from(body) }),
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    const isJsonReply = reply.headers.get('content-type')?.startsWith('application/json') === true
    const json: unknown = isJsonReply ? JSON.parse(bytes.toString('utf8')) : undefined
    return { status: reply.status, headers: reply.headers, bytes, json }
  }

  /** Starts a session and resolves with its URL. */
  async session(metadata: unknown, options: { path?: string; query?: string } = {}) {
    const { path = 'files', query = '' } = options
    const reply = await this.upload(`${path}?uploadType=resumable${query}`, {
      method: path === 'files' ? 'POST' : 'PATCH',
      body: metadata,
    })
    const url = reply.headers.get('location')
    if (url === null) throw new Error(`no session: ${reply.status} ${reply.bytes.toString()}`)
    return url
  }

  /** Sends bytes to a session. Default of `total`: `*`. */
  chunk(session: string, offset: number, { bytes, total }: { bytes: Buffer; total?: number }) {
    const range = `bytes ${offset}-${offset + bytes.length - 1}/${total ?? '*'}`
    return this.send(session, { method: 'PUT', body: bytes, headers: { 'content-range': range } })
  }

  /** Queries a session. */
  ask(session: string, total?: number) {
    const headers = { 'content-range': `bytes */${total ?? '*'}` }
    return this.send(session, { method: 'PUT', headers, body: Buffer.alloc(0) })
  }
}
