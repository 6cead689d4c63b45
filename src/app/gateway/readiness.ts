import { randomUUID } from 'node:crypto'
import type { HttpHandler } from '../../platform/http/message.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { Database } from '../../platform/state/database.ts'
import { DatabaseKeyValueStore } from '../../platform/state/key-value/database-key-value.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { Mount } from '../../storage/drives/route/mount.ts'
import { DrivesWatch, type HealthOptions, HealthWatch, json, namedChecks, probe } from './health.ts'

/** A check of writes waits for the disk, and a cloud drive for its server. */
const writesCacheMs = 5_000

/** The row that a process writes to test whether the database commits. The sweep removes it. */
const probeRow = { ttlMs: 3_600_000, maxFamily: 100 }

/** GET /-/livez: the process serves. No part is checked. */
export const liveness: HttpHandler = probe(async () => json(200, { status: 'ok' }))

export interface ReadinessParts {
  readonly drive: Pick<Drive, 'check' | 'readsAlone'>
  readonly database: Database
  /** Named drives are reported, but do not make the process unready. */
  readonly mounts?: readonly Mount[]
  /** Called with the reason why a part failed; the reply only names the part. */
  readonly onFailure: HealthOptions['onFailure']
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
  readonly timeoutMs?: number
}

type Access = 'reads' | 'writes'

/** How long a probe waits for a part that reads do not require. */
const dispensableWaitMs = 1_000

/** Decides whether a load balancer should send requests to this process. */
export class Readiness {
  readonly #watches: Readonly<Record<Access, HealthWatch>>
  readonly #drives: Readonly<Record<Access, DrivesWatch>>
  readonly #readsAlone: boolean
  #isStopping = false

  constructor({ drive, database, mounts = [], onFailure, ...times }: ReadinessParts) {
    const probes = new DatabaseKeyValueStore(database, Date.now)
    this.#readsAlone = drive.readsAlone ?? false
    const checkDatabase = this.#readsAlone
      ? () => withinTime(database.check(), dispensableWaitMs)
      : () => database.check()
    const key = `readyz:${randomUUID()}`
    const drivesFor = (access: Access) => {
      const onDriveFailure = (part: string, error: unknown) =>
        onFailure(`${part} (${access})`, error)
      const cache = access === 'writes' ? { cacheMs: writesCacheMs } : {}
      return new DrivesWatch(namedChecks(mounts, access), {
        ...{ ...times, ...cache },
        onFailure: onDriveFailure,
      })
    }
    this.#drives = { reads: drivesFor('reads'), writes: drivesFor('writes') }
    this.#watches = {
      reads: new HealthWatch({
        ...times,
        checks: { drive: () => drive.check('reads'), database: checkDatabase },
        onFailure: (part, error) => onFailure(`${part} (reads)`, error),
      }),
      writes: new HealthWatch({
        ...times,
        cacheMs: writesCacheMs,
        checks: {
          drive: () => drive.check('writes'),
          database: async () => {
            await database.check()
            await probes.set(key, '', probeRow)
          },
        },
        onFailure: (part, error) => onFailure(`${part} (writes)`, error),
      }),
    }
  }

  /** From now on, the process reports that it is not ready, although it still serves. */
  beginStop(): void {
    this.#isStopping = true
  }

  /**
   * GET /-/readyz: 200 when reads and writes are ready, else 503 with the parts that are not. `/reads` and
   * `/writes` below it report on one of the two.
   */
  readonly handler: HttpHandler = probe(async ({ rawPath }) => {
    const asked = askedBy(rawPath)
    if (asked === undefined) {
      return json(404, { message: 'expected /-/readyz, /-/readyz/reads or /-/readyz/writes' })
    }
    if (this.#isStopping) return json(503, { status: 'stopping' })
    const states = await Promise.all(
      asked.map(async (access) => {
        const [failing, drives] = await Promise.all([
          this.#watches[access].failing(),
          this.#drives[access].states(),
        ])
        return [access, { ...this.#stateOf(access, failing), ...drives }] as const
      }),
    )
    const isReady = states.every(([, { ready }]) => ready)
    return json(isReady ? 200 : 503, {
      status: isReady ? 'ready' : 'unavailable',
      ...Object.fromEntries(states),
    })
  })

  #stateOf(access: Access, failing: readonly string[]) {
    if (failing.length === 0) return { ready: true }
    const needed = access === 'reads' && this.#readsAlone ? ['drive'] : failing
    return { ready: !failing.some((part) => needed.includes(part)), failing }
  }
}

function askedBy(rawPath: string): readonly Access[] | undefined {
  if (rawPath === '/-/readyz/reads' || rawPath === '/minio/health/cluster/read') return ['reads']
  if (rawPath === '/-/readyz/writes') return ['writes']
  // Other paths are routed in gateway.ts.
  const isOther = rawPath.startsWith('/-/readyz/') && rawPath !== '/-/readyz/'
  return isOther ? undefined : ['reads', 'writes']
}
