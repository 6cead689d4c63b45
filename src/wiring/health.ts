import type { HttpHandler, HttpReply } from '../http/message.ts'
import { withinTime } from '../process/time-limit.ts'

/** What must respond for the gateway to be healthy. */
export type HealthChecks = Readonly<Record<string, () => Promise<void>>>

export interface HealthOptions {
  readonly checks: HealthChecks
  /** Called with the reason why a part failed; the reply only names the part. */
  readonly onFailure: (part: string, error: unknown) => void
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
  /** A check that takes longer has failed. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 5_000

/** Many probes may arrive at once: the parts are asked at most once a second. */
const cacheMs = 1_000

/** GET /-/healthz: 200 when every part answers, else 503 naming those that do not. */
export function createHealthHandler({
  checks,
  onFailure,
  now = () => performance.now(),
  timeoutMs = defaultTimeoutMs,
}: HealthOptions): HttpHandler {
  const singleChecks = Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, onceAtATime(check)]),
  )
  let latest: Promise<readonly string[]> | undefined
  let askedAtMs = 0
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return json(405, { message: 'expected GET or HEAD' }, [['Allow', 'GET, HEAD']])
    }
    if (latest === undefined || now() - askedAtMs >= cacheMs) {
      askedAtMs = now()
      latest = failingParts(singleChecks, timeoutMs, onFailure)
    }
    const failing = await latest
    return failing.length === 0
      ? json(200, { status: 'ok' })
      : json(503, { status: 'unavailable', failing })
  }
}

/** Otherwise each probe of a hanging disk would block another thread, until none is left. */
function onceAtATime(check: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= check().finally(() => {
      running = undefined
    })
    return running
  }
}

async function failingParts(
  checks: HealthChecks,
  timeoutMs: number,
  onFailure: HealthOptions['onFailure'],
): Promise<readonly string[]> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await withinTime(check(), timeoutMs)
        return []
      } catch (error) {
        onFailure(name, error)
        return [name]
      }
    }),
  )
  return answers.flat()
}

function json(status: number, body: object, headers: HttpReply['headers'] = []): HttpReply {
  return {
    status,
    headers: [['Content-Type', 'application/json'], ['Cache-Control', 'no-store'], ...headers],
    body: JSON.stringify(body),
  }
}
