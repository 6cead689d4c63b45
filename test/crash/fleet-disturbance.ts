import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { OwnPostgres } from '../support/start-postgres.ts'
import { startRedis, type TestRedis } from '../support/start-redis.ts'
import type { FleetMember } from './fleet-member.ts'
import type { Fleet } from './fleet-writers.ts'

/** From longer than the others wait for a sign of life, so that they take over, to longer than any lock or lease lives. */
const stallMs = [11_000, 40_000] as const
const awayMs = [500, 4_000] as const
/** How many of the three gateways are disturbed at a time. */
const disturbedAtOnce = 2

interface DisturbedFleet {
  readonly fleet: Fleet
  readonly postgres: OwnPostgres
  readonly redis: TestRedis
  readonly random: Random
}

/** Kills and suspends gateways, PostgreSQL and Redis. */
export class FleetDisturbance {
  readonly counts = {
    ...{ gatewayKills: 0, gatewayStalls: 0, stalledMs: 0 },
    ...{ postgresCrashes: 0, postgresStalls: 0, redisKills: 0, redisStalls: 0 },
  }
  readonly #scene: DisturbedFleet
  readonly #busy = new Set<FleetMember>()
  #redis: TestRedis

  constructor(scene: DisturbedFleet) {
    this.#scene = scene
    this.#redis = scene.redis
  }

  async run(isOver: () => boolean): Promise<void> {
    const { random } = this.#scene
    const repeat = async (pauseMs: readonly [number, number], disturb: () => Promise<void>) => {
      for (;;) {
        await delay(random.integer(...pauseMs))
        if (isOver()) return
        await disturb()
      }
    }
    await Promise.all([
      ...Array.from({ length: disturbedAtOnce }, () =>
        repeat([200, 2_500], () => this.#disturbGateway()),
      ),
      repeat([5_000, 20_000], () => this.#disturbPostgres()),
      repeat([5_000, 40_000], () => this.#disturbRedis()),
    ])
  }

  async stop(): Promise<void> {
    await this.#redis.stop()
  }

  async #disturbGateway(): Promise<void> {
    const { fleet, random } = this.#scene
    const [first, ...others] = fleet.filter((other) => !this.#busy.has(other))
    if (first === undefined) return
    const member = random.pick([first, ...others])
    this.#busy.add(member)
    if (random.next() < 0.5) {
      await member.kill()
      await member.start()
      this.counts.gatewayKills += 1
    } else {
      const ms = random.integer(...stallMs)
      await member.suspend(ms)
      this.counts.gatewayStalls += 1
      this.counts.stalledMs += ms
    }
    this.#busy.delete(member)
  }

  async #disturbPostgres(): Promise<void> {
    const { postgres, random } = this.#scene
    if (random.next() < 0.5) {
      await postgres.crash()
      await delay(random.integer(...awayMs))
      await postgres.comeBack()
      this.counts.postgresCrashes += 1
    } else {
      postgres.freeze()
      await delay(random.integer(...awayMs))
      postgres.thaw()
      this.counts.postgresStalls += 1
    }
  }

  async #disturbRedis(): Promise<void> {
    const { random } = this.#scene
    if (random.next() < 0.5) {
      const port = Number(new URL(this.#redis.url).port)
      await this.#redis.stop()
      await delay(random.integer(...awayMs))
      this.#redis = (await startRedis({ port })) ?? this.#redis
      this.counts.redisKills += 1
    } else {
      this.#redis.freeze()
      await delay(random.integer(...awayMs))
      this.#redis.thaw()
      this.counts.redisStalls += 1
    }
  }
}
