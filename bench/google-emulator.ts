import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { bucket } from './server-kinds.ts'

/** The Google emulator in a separate process, with the latency and speed of a good line to Google. */

/** Every call is answered this much later. */
export const callMs = 80
/** In each direction, shared by all calls. */
export const linkBytesPerSecond = 100_000_000

const script = new URL('../test/fakes/google/serve-emulator.ts', import.meta.url)
const folder = 'Bucketry/buckets'
const pieceBytes = 256 * 1024

/** Calls since the counters were last forgotten. */
export interface Counters {
  readonly calls: Readonly<Record<string, number>>
  readonly total: number
  /** Bytes of bodies that came over the link. */
  readonly bytesIn: number
}

interface EmulatorFacts {
  readonly url: string
  readonly endpoints: { readonly upload: string; readonly token: string }
  readonly credentials: {
    readonly clientId: string
    readonly clientSecret: string
    readonly refreshToken: string
  }
}

export interface RunningEmulator {
  readonly pid: number
  /** Settings of a gateway whose drive it is. */
  readonly settings: Readonly<Record<string, string>>
  counters(): Promise<Counters>
  forgetCounters(): Promise<void>
  /** Sends so many bytes in one request, as fast as it takes them. Resolves with milliseconds. */
  fill(bytes: number): Promise<number>
  stop(): Promise<void>
}

/** Starts it with so many files in the bucket: file-0000000 and so on. */
export async function startEmulator(files = 0): Promise<RunningEmulator> {
  const speed = ['--latency-ms', String(callMs), '--bytes-per-second', String(linkBytesPerSecond)]
  const content = ['--fill', `${folder}/${bucket}`, '--files', String(files)]
  const child = spawn(process.execPath, [fileURLToPath(script), ...speed, ...content], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error('the emulator did not start'))),
  ])) as [string]
  const facts = JSON.parse(line) as EmulatorFacts
  const counters = `${facts.url}/emulator/counters`
  return {
    pid: child.pid ?? 0,
    settings: settingsOf(facts),
    counters: async () => (await (await fetch(counters)).json()) as Counters,
    async forgetCounters() {
      await (await fetch(counters, { method: 'DELETE' })).arrayBuffer()
    },
    fill: (bytes) => fill(facts, bytes),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function settingsOf({ url, credentials }: EmulatorFacts): Record<string, string> {
  return {
    DRIVE: `gdrive:${folder}`,
    // Changes by others are not measured: no poll happens during a measurement.
    DRIVE_POLL_SECONDS: '3600',
    GDRIVE_CLIENT_ID: credentials.clientId,
    GDRIVE_CLIENT_SECRET: credentials.clientSecret,
    GDRIVE_REFRESH_TOKEN: credentials.refreshToken,
    GDRIVE_API_URL: url,
  }
}

/** One resumable session with one chunk: the floor of the link and of the machine. */
async function fill({ endpoints, credentials }: EmulatorFacts, bytes: number): Promise<number> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    refresh_token: credentials.refreshToken,
  })
  const token = await fetch(endpoints.token, { method: 'POST', body: form })
  const { access_token: accessToken } = (await token.json()) as { access_token: string }
  const startedAtMs = performance.now()
  const session = await fetch(`${endpoints.upload}/files?uploadType=resumable`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'floor' }),
  })
  const reply = await request(session.headers.get('location') ?? '', {
    method: 'PUT',
    headers: {
      'content-length': String(bytes),
      'content-range': `bytes 0-${bytes - 1}/${bytes}`,
    },
    body: Readable.from(pieces(bytes)),
    headersTimeout: 0,
  })
  const text = await reply.body.text()
  if (reply.statusCode !== 200)
    throw new Error(`the emulator answered ${reply.statusCode}: ${text}`)
  return performance.now() - startedAtMs
}

function* pieces(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(pieceBytes, 'bucketry ')
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left)
}
