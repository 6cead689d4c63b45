import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseError } from '../../src/platform/state/database.ts'
import { migrateAsNext } from '../support/next-migration.ts'
import type { Random } from '../support/random.ts'
import type { StoreProcess } from '../support/s3/store-process.ts'
import type { OwnPostgres } from '../support/start-postgres.ts'
import { startRedis, type TestRedis } from '../support/start-redis.ts'
import type { Cut } from '../support/test-network.ts'
import type { FleetMember } from './fleet-member.ts'
import type { Fleet } from './fleet-writers.ts'

/** Longer than locks and leases last. */
const longStallMs = 40_000
/** Includes times shorter than the others wait before they take over. */
const shortStallMs = [1_000, 30_000] as const
const awayMs = [500, 4_000] as const
/** After 8 to 10 s, the others mark a gateway that does not reach the database as ended. */
const cutMs = [5_000, 40_000] as const
const longestMigrationMs = 60_000

/** How often each event happens in a full run. */
const events = {
  gateway: { kill: 60, 'long stall': 50, 'short stall': 10, restart: 12 },
  network: { 'cut off': 20, unplug: 7 },
  postgres: { crash: 10, stall: 10 },
  redis: { kill: 5, stall: 5 },
  store: { kill: 5, stall: 10 },
} as const

type Part = keyof typeof events
type EventOf<P extends Part> = Extract<keyof (typeof events)[P], string>

/** Chosen so that the pauses of each of the other kinds add up to about the time of the gateways' stalls. */
const pauseMs: Readonly<Record<Part, readonly [number, number]>> = {
  gateway: [200, 1_500],
  network: [1_000, 15_000],
  postgres: [10_000, 50_000],
  redis: [20_000, 100_000],
  store: [10_000, 60_000],
}

interface DisturbedFleet {
  readonly fleet: Fleet
  readonly postgres: OwnPostgres
  /** Of the database of the fleet. */
  readonly databaseUrl: string
  readonly redis: TestRedis
  /** Where Redis listens besides the loopback. */
  readonly redisAddress: string
  /** The S3 store, if there is one. */
  readonly store?: StoreProcess | undefined
  /** Addresses of servers that a gateway may lose at the same time. */
  readonly cuts: readonly [readonly string[], ...(readonly string[])[]]
  readonly random: Random
  /** The share of the events of a full run, rounded up. */
  readonly share: number
  /** No event starts after it is aborted. */
  readonly signal: AbortSignal
}

/**
 * Kills, suspends, restarts and cuts off gateways, and kills and suspends PostgreSQL, Redis and the S3 store. At any
 * time, at least one gateway is left alone. A suspended gateway may also be cut off.
 */
export class FleetDisturbance {
  readonly counts: Record<string, number> = {}
  readonly #scene: DisturbedFleet
  readonly #busy = new Set<FleetMember>()
  #redis: TestRedis

  constructor(scene: DisturbedFleet) {
    this.#scene = scene
    this.#redis = scene.redis
  }

  /** Resolves after the last event. */
  async run(): Promise<void> {
    const stopped = this.#scene.fleet.length - 1
    const gatewayEvents = this.#shuffled('gateway')
    await Promise.all([
      ...Array.from({ length: stopped }, () =>
        this.#disturb('gateway', gatewayEvents, (event) => this.#disturbGateway(event)),
      ),
      this.#disturb('network', this.#shuffled('network'), (event) => this.#disturbNetwork(event)),
      this.#disturbPostgresAndUpgrade(),
      this.#disturb('redis', this.#shuffled('redis'), (event) => this.#disturbRedis(event)),
      this.#disturb('store', this.#shuffled('store'), (event) => this.#disturbStore(event)),
    ])
  }

  async stop(): Promise<void> {
    await this.#redis.stop()
  }

  #shuffled<P extends Part>(part: P): EventOf<P>[] {
    const { random, share, store } = this.#scene
    if (part === 'store' && store === undefined) return []
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
    const { random, signal } = this.#scene
    const [least, most] = pauseMs[part]
    for (let event = planned.pop(); event !== undefined; event = planned.pop()) {
      await delay(random.integer(least, most))
      if (signal.aborted) return
      await happen(event)
      this.#count(`${part} ${event}`)
    }
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }

  /** A gateway for which `isFree` holds. There always is one, because `run` limits concurrent disturbances. */
  #pick(isFree: (member: FleetMember) => boolean): FleetMember {
    const { fleet, random } = this.#scene
    const disturbed = fleet.filter(({ isDisturbed }) => isDisturbed)
    const allowed = disturbed.length < fleet.length - 1 ? fleet : disturbed
    const [first, ...others] = allowed.filter(isFree)
    assert.ok(first)
    return random.pick([first, ...others])
  }

  async #disturbGateway(event: EventOf<'gateway'>): Promise<void> {
    const member = this.#pick((one) => !this.#busy.has(one))
    this.#busy.add(member)
    await member.disturb(() => this.#stopGateway(member, event))
    this.#busy.delete(member)
  }

  async #stopGateway(member: FleetMember, event: EventOf<'gateway'>): Promise<void> {
    const { random } = this.#scene
    if (event === 'kill') {
      await member.kill()
      await member.start()
    } else if (event === 'restart') {
      await member.restart()
    } else {
      const ms = event === 'long stall' ? longStallMs : random.integer(...shortStallMs)
      await member.suspend(delay(ms))
    }
  }

  async #disturbNetwork(event: EventOf<'network'>): Promise<void> {
    const { random, cuts } = this.#scene
    const member = this.#pick(() => true)
    const { host } = member
    await member.disturb(async () => {
      if (event === 'unplug') {
        await host.unplug()
        await delay(random.integer(...cutMs))
        await host.plugIn()
      } else {
        const cut = random.pick<Cut>(['silent', 'unreachable'])
        const servers = random.pick(cuts)
        await host.cutOff(cut, servers)
        await delay(random.integer(...cutMs))
        await host.join(cut, servers)
      }
    })
  }

  /** Half-way, a newer version migrates the database. From then on, gateways start on a newer schema. */
  async #disturbPostgresAndUpgrade(): Promise<void> {
    const planned = this.#shuffled('postgres')
    const later = planned.splice(0, Math.floor(planned.length / 2))
    const disturb = (some: EventOf<'postgres'>[]) =>
      this.#disturb('postgres', some, (event) => this.#disturbPostgres(event))
    await disturb(planned)
    await this.#migrate()
    this.#count('postgres migration')
    await disturb(later)
  }

  /** Repeats the start of a newer version, as a service manager does: the server was away a moment ago. */
  async #migrate(): Promise<void> {
    const giveUpAt = performance.now() + longestMigrationMs
    for (;;) {
      try {
        return await migrateAsNext(this.#scene.databaseUrl)
      } catch (error) {
        if (!(error instanceof DatabaseError) || performance.now() > giveUpAt) throw error
        await delay(500)
      }
    }
  }

  async #disturbPostgres(event: EventOf<'postgres'>): Promise<void> {
    const { postgres, random } = this.#scene
    if (event === 'crash') await postgres.crash()
    else postgres.freeze()
    await delay(random.integer(...awayMs))
    if (event === 'crash') await postgres.comeBack()
    else postgres.thaw()
  }

  async #disturbStore(event: EventOf<'store'>): Promise<void> {
    const { store, random } = this.#scene
    if (event === 'kill') await store?.kill()
    else store?.freeze()
    await delay(random.integer(...awayMs))
    if (event === 'kill') await store?.comeBack()
    else store?.thaw()
  }

  async #disturbRedis(event: EventOf<'redis'>): Promise<void> {
    const port = Number(new URL(this.#redis.url).port)
    const address = this.#scene.redisAddress
    if (event === 'kill') await this.#redis.stop()
    else this.#redis.freeze()
    await delay(this.#scene.random.integer(...awayMs))
    if (event === 'kill') this.#redis = (await startRedis({ port, address })) ?? this.#redis
    else this.#redis.thaw()
  }
}
