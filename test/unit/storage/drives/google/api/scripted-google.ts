import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import {
  GoogleApi,
  type GoogleApiOptions,
} from '../../../../../../src/storage/drives/google/api/google-api.ts'
import type { Clock } from '../../../../../../src/storage/drives/kit/cloud/retry-policy.ts'

export const secrets = {
  clientSecret: 'client-secret-4711',
  refreshToken: '1//refresh-token-4711',
}

/** One request as the server saw it; the body is whole unless the script read it itself. */
interface Asked {
  readonly method: string
  /** Path and query. */
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

interface Turn extends Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Answers one request. */
export type Step = (turn: Turn) => void | Promise<void>

/**
 * Google as a test scripts it: each request takes the next step; one that no step is left for is
 * answered 599. Access tokens are given out by themselves as token-1, token-2 and so on.
 */
export interface ScriptedGoogle {
  readonly origin: string
  readonly endpoints: { readonly api: string; readonly upload: string; readonly token: string }
  /** What was asked, without the requests for tokens. */
  readonly asked: readonly Asked[]
  /** Forms that were sent to the token endpoint. */
  readonly grants: readonly URLSearchParams[]
  readonly connections: () => number
  play(...steps: Step[]): void
  /** Steps for the token endpoint, which then responds by itself. */
  playTokens(...steps: Step[]): void
}

export async function startScriptedGoogle(t: TestContext): Promise<ScriptedGoogle> {
  const asked: Asked[] = []
  const grants: URLSearchParams[] = []
  const steps: Step[] = []
  const tokenSteps: Step[] = []
  let tokens = 0
  let connections = 0
  const giveToken: Step = ({ response }) => {
    tokens++
    sendJson(response, 200, {
      access_token: `token-${tokens}`,
      expires_in: 3599,
      token_type: 'Bearer',
    })
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://stub')
    const isToken = url.pathname === '/token'
    const step = isToken ? (tokenSteps.shift() ?? giveToken) : (steps.shift() ?? unexpected)
    const turn = { method: request.method ?? '', url, headers: request.headers, request, response }
    const play = (body: Buffer) => {
      if (isToken) grants.push(new URLSearchParams(body.toString()))
      else asked.push({ ...turn, body })
      return step({ ...turn, body })
    }
    if (impatient.has(step)) void play(Buffer.alloc(0))
    else
      collect(request).then(play, () => {
        // The client went away in the middle; the test asserts what it makes of that.
      })
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    endpoints: {
      api: `${origin}/drive/v3`,
      upload: `${origin}/upload/drive/v3`,
      token: `${origin}/token`,
    },
    asked,
    grants,
    connections: () => connections,
    play: (...more) => void steps.push(...more),
    playTokens: (...more) => void tokenSteps.push(...more),
  }
}

const impatient = new WeakSet<Step>()

/** A step that is played before the body of the request is read. */
export function early(step: Step): Step {
  const played: Step = (turn) => step(turn)
  impatient.add(played)
  return played
}

const unexpected: Step = ({ response, method, url }) => {
  response.writeHead(418).end(`no step for ${method} ${url.pathname}`)
}

function sendJson(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
  response.end(JSON.stringify(content))
}

export const json =
  (status: number, content: unknown, headers: Record<string, string> = {}): Step =>
  ({ response }) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    sendJson(response, status, content)
  }

/** Google's error, with its reason. */
export const refusal = (
  status: number,
  reason: string,
  headers: Record<string, string> = {},
): Step =>
  json(
    status,
    {
      error: {
        code: status,
        message: `${reason}, says Google`,
        errors: [{ domain: 'global', reason }],
      },
    },
    headers,
  )

export const status =
  (code: number, headers: Record<string, string> = {}): Step =>
  ({ response }) => {
    response.writeHead(code, headers).end()
  }

/** The connection is reset. */
export const reset: Step = ({ request }) => {
  request.socket.resetAndDestroy()
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A file's JSON with what every file has. */
export const fileJson = (more: Record<string, unknown> = {}) => ({
  id: 'f1',
  name: 'a.txt',
  mimeType: 'text/plain',
  parents: ['p1'],
  size: '3',
  md5Checksum: '900150983cd24fb0d6963f7d28e17f72',
  createdTime: '2026-11-20T10:00:00.000Z',
  modifiedTime: '2026-11-21T10:00:00.500Z',
  trashed: false,
  version: '7',
  headRevisionId: 'r1',
  ...more,
})

/** Time passes only in waits, at once. Chance is 0.5. */
export class FakeClock implements Clock {
  nowMs = Date.parse('2026-11-21T12:00:00Z')
  /** How far the clock was set back since then. */
  setBackMs = 0
  readonly waits: number[] = []

  now(): number {
    return this.nowMs - this.setBackMs
  }

  elapsed(): number {
    return this.nowMs
  }

  random(): number {
    return 0.5
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.waits.push(ms)
    this.nowMs += ms
  }
}

export interface TestApi {
  readonly google: ScriptedGoogle
  readonly clock: FakeClock
  readonly api: GoogleApi
  /** What onRetry got. */
  readonly notes: readonly string[]
}

/** A client of a scripted Google. */
export async function startTestApi(
  t: TestContext,
  options: Partial<GoogleApiOptions> = {},
): Promise<TestApi> {
  const google = await startScriptedGoogle(t)
  const clock = new FakeClock()
  const notes: string[] = []
  const api = new GoogleApi({
    credentials: { kind: 'refresh-token', clientId: 'client-1', ...secrets },
    endpoints: google.endpoints,
    clock,
    onRetry: ({ doing, failures, waitMs, error }) => {
      notes.push(`${doing} ${failures} ${waitMs} ${error}`)
    },
    ...options,
  })
  t.after(() => api.close())
  return { google, clock, api, notes }
}

export async function collected(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return chunks
}
