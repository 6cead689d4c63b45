import type { HttpHandler, HttpReply } from '../../platform/http/message.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { DriveAccess } from '../../storage/drives/drive.ts'
import type { Mount } from '../../storage/drives/route/mount.ts'

/** The parts that must respond for the gateway to be healthy. */
export type HealthChecks = Readonly<Record<string, () => Promise<void>>>

export interface HealthOptions {
  readonly checks: HealthChecks
  /** Named drives, which are reported but do not make the gateway unhealthy. */
  readonly drives?: HealthChecks
  /** Called with the reason why a part failed; the reply only names the part. */
  readonly onFailure: (part: string, error: unknown) => void
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
  /** Time limit for a check. */
  readonly timeoutMs?: number
  /** How long to reuse an outcome without failures. Default: one second. */
  readonly cacheMs?: number
}

const defaultTimeoutMs = 5_000

/** Many probes may arrive at once, but each part is checked at most once a second. */
const defaultCacheMs = 1_000

/** Shares each check between the probes that ask for it. */
export class HealthWatch {
  readonly #options: Required<Omit<HealthOptions, 'drives'>>
  #latest: Promise<readonly string[]> | undefined
  #freshUntilMs = 0

  constructor({ drives: _, ...options }: HealthOptions) {
    const { checks } = options
    this.#options = {
      now: () => performance.now(),
      timeoutMs: defaultTimeoutMs,
      cacheMs: defaultCacheMs,
      ...options,
      checks: Object.fromEntries(
        Object.entries(checks).map(([name, check]) => [name, onceAtATime(check)]),
      ),
    }
  }

  /** The names of the parts that fail or do not respond in time. */
  async failing(): Promise<readonly string[]> {
    const { now, cacheMs } = this.#options
    if (this.#latest === undefined || now() >= this.#freshUntilMs) {
      const askedAtMs = now()
      this.#freshUntilMs = askedAtMs + defaultCacheMs
      this.#latest = this.#ask().then((failing) => {
        if (failing.length === 0) this.#freshUntilMs = askedAtMs + cacheMs
        return failing
      })
    }
    return await this.#latest
  }

  async #ask(): Promise<readonly string[]> {
    const { checks, timeoutMs, onFailure } = this.#options
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
}

/**
 * GET /-/healthz: 200 when every part responds, else 503 with the names of those that do not. A failing named
 * drive is only reported: a restart can't help it, and the other drives are served without it.
 */
export function createHealthHandler(options: HealthOptions): HttpHandler {
  const watch = new HealthWatch(options)
  const drives = new DrivesWatch(options.drives ?? {}, options)
  return probe(async () => {
    const [failing, states] = await Promise.all([watch.failing(), drives.states()])
    return failing.length === 0
      ? json(200, { status: 'ok', ...states })
      : json(503, { status: 'unavailable', failing, ...states })
  })
}

/** The states of named drives, for replies. */
export class DrivesWatch {
  readonly #names: readonly string[]
  readonly #watch: HealthWatch

  constructor(checks: HealthChecks, options: Omit<HealthOptions, 'checks'>) {
    this.#names = Object.keys(checks)
    const onFailure = (name: string, error: unknown) => options.onFailure(`drive ${name}`, error)
    this.#watch = new HealthWatch({ ...options, checks, onFailure })
  }

  /** An empty object if there are no named drives. */
  async states(): Promise<{
    readonly drives?: Readonly<Record<string, { readonly ready: boolean }>>
  }> {
    if (this.#names.length === 0) return {}
    const failing = await this.#watch.failing()
    const states = this.#names.map((name) => [name, { ready: !failing.includes(name) }] as const)
    return { drives: Object.fromEntries(states) }
  }
}

/** Answers GET and HEAD. */
export function probe(answer: HttpHandler): HttpHandler {
  return async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return await answer(request)
    return json(405, { message: 'expected GET or HEAD' }, [['Allow', 'GET, HEAD']])
  }
}

/** The reply to a probe. It must not be cached. */
export function json(status: number, body: object, headers: HttpReply['headers'] = []): HttpReply {
  return {
    status,
    headers: [['Content-Type', 'application/json'], ['Cache-Control', 'no-store'], ...headers],
    body: JSON.stringify(body),
  }
}

/** Shares one running check. Otherwise each probe of a hanging disk would block another thread, until none is left. */
export function onceAtATime<Result>(check: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= check().finally(() => {
      running = undefined
    })
    return running
  }
}

/** The checks of all drives except the default one, by name. */
export function namedChecks(mounts: readonly Mount[], access?: DriveAccess): HealthChecks {
  const named = mounts.filter(({ name }) => name !== '')
  return Object.fromEntries(
    named.map((mount) => {
      const isRead = access === 'writes' && mount.isReadOnly
      return [mount.name, () => mount.drive.check(isRead ? 'reads' : access)]
    }),
  )
}
