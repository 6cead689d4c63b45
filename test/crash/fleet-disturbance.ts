import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { OwnPostgres } from '../support/start-postgres.ts'
import { startRedis, type TestRedis } from '../support/start-redis.ts'
import type { FleetMember } from './fleet-member.ts'
import type { Fleet } from './fleet-writers.ts'

/** Longer than any lock or lease lives. */
const longStallMs = 40_000
/** Also shorter than the others wait before they take over. */
const shortStallMs = [1_000, 30_000] as const
const awayMs = [500, 4_000] as const

/** What happens how often in a run. */
const events = {
  gateway: { kill: 60, 'long stall': 50, 'short stall': 10 },
  postgres: { crash: 10, stall: 10 },
  redis: { kill: 5, stall: 5 },
} as const

type Part = keyof typeof events
type EventOf<P extends Part> = Extract<keyof (typeof events)[P], string>

/** Together, the pauses of PostgreSQL and of Redis take about as long as the stalls of the gateways. */
const pauseMs: Readonly<Record<Part, readonly [number, number]>> = {
  gateway: [200, 2_500],
  postgres: [10_000, 50_000],
  redis: [20_000, 100_000],
}

interface DisturbedFleet {
  readonly fleet: Fleet
  readonly postgres: OwnPostgres
  readonly redis: TestRedis
  readonly random: Random
  /** Of the events of a run, rounded up. */
  readonly share: number
}

/** Kills and suspends gateways, PostgreSQL and Redis. One gateway at a time is left alone. */
export class FleetDisturbance {
  readonly counts: Record<string, number> = {}
  readonly #scene: DisturbedFleet
  readonly #busy = new Set<FleetMember>()
  #redis: TestRedis

  constructor(scene: DisturbedFleet) {
    this.#scene = scene
    this.#redis = scene.redis
  }

  /** Resolves when everything has happened. */
  async run(): Promise<void> {
    const disturbedAtOnce = this.#scene.fleet.length - 1
    const gatewayEvents = this.#shuffled('gateway')
    await Promise.all([
      ...Array.from({ length: disturbedAtOnce }, () =>
        this.#disturb('gateway', gatewayEvents, (event) => this.#disturbGateway(event)),
      ),
      this.#disturb('postgres', this.#shuffled('postgres'), (event) =>
        this.#disturbPostgres(event),
      ),
      this.#disturb('redis', this.#shuffled('redis'), (event) => this.#disturbRedis(event)),
    ])
  }

  async stop(): Promise<void> {
    await this.#redis.stop()
  }

  #shuffled<P extends Part>(part: P): EventOf<P>[] {
    const { random, share } = this.#scene
    const all = Object.entries(events[part]).flatMap(([event, times]) =>
      Array.from({ length: Math.ceil(times * share) }, () => ({ event, order: random.next() })),
    )
    return all.sort((a, b) => a.order - b.order).map(({ event }) => event as EventOf<P>)
  }

  async #disturb<P extends Part>(
    part: P,
    planned: EventOf<P>[],
    happen: (event: EventOf<P>) => Promise<void>,
  ): Promise<void> {
    const [least, most] = pauseMs[part]
    for (let event = planned.pop(); event !== undefined; event = planned.pop()) {
      await delay(this.#scene.random.integer(least, most))
      await happen(event)
      const name = `${part} ${event}`
      this.counts[name] = (this.counts[name] ?? 0) + 1
    }
  }

  async #disturbGateway(event: EventOf<'gateway'>): Promise<void> {
    const { fleet, random } = this.#scene
    const [first, ...others] = fleet.filter((other) => !this.#busy.has(other))
    assert.ok(first)
    const member = random.pick([first, ...others])
    this.#busy.add(member)
    if (event === 'kill') {
      await member.kill()
      await member.start()
    } else {
      await member.suspend(event === 'long stall' ? longStallMs : random.integer(...shortStallMs))
    }
    this.#busy.delete(member)
  }

  async #disturbPostgres(event: EventOf<'postgres'>): Promise<void> {
    const { postgres, random } = this.#scene
    if (event === 'crash') await postgres.crash()
    else postgres.freeze()
    await delay(random.integer(...awayMs))
    if (event === 'crash') await postgres.comeBack()
    else postgres.thaw()
  }

  async #disturbRedis(event: EventOf<'redis'>): Promise<void> {
    const port = Number(new URL(this.#redis.url).port)
    if (event === 'kill') await this.#redis.stop()
    else this.#redis.freeze()
    await delay(this.#scene.random.integer(...awayMs))
    if (event === 'kill') this.#redis = (await startRedis({ port })) ?? this.#redis
    else this.#redis.thaw()
  }
}
