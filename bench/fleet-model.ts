import type { Random } from '../test/support/random.ts'

/** The measured costs of one request. */
export interface RequestCosts {
  readonly gatewayCpuMs: number
  readonly databaseCpuMs: number
  /** What it needs of the drive that all gateways share. */
  readonly driveMs: number
}

/** A kind of request and its share of all. */
export interface RequestKind extends RequestCosts {
  readonly name: string
  /** Of all requests: the shares of a mix add up to 1. */
  readonly share: number
}

export interface FleetSize {
  readonly gateways: number
  readonly coresPerGateway: number
  readonly databaseCores: number
  /** What the drive limits, and how much of it is used at once. */
  readonly drive: { readonly name: string; readonly servers: number }
}

/** A part of a fleet that each request uses for some time. */
export interface Resource {
  readonly name: string
  /** How many requests it serves at once, on each of `count` machines. */
  readonly servers: number
  readonly count: number
  readonly msOf: (costs: RequestCosts) => number
}

/** In the order in which a request needs them. */
export function resourcesOf(size: FleetSize): readonly Resource[] {
  const { gateways, coresPerGateway, databaseCores, drive } = size
  return [
    {
      ...{ name: 'cores of the gateways', servers: coresPerGateway, count: gateways },
      msOf: ({ gatewayCpuMs }) => gatewayCpuMs,
    },
    {
      ...{ ...drive, count: 1 },
      msOf: ({ driveMs }) => driveMs,
    },
    {
      ...{ name: 'cores of PostgreSQL', servers: databaseCores, count: 1 },
      msOf: ({ databaseCpuMs }) => databaseCpuMs,
    },
  ]
}

/** The requests per second at which the resource is always busy. With more, the waiting time grows without limit. */
export function fullAt(resource: Resource, mix: readonly RequestKind[]): number {
  const msPerRequest = mix.reduce((sum, kind) => sum + kind.share * resource.msOf(kind), 0)
  return (1_000 * resource.servers * resource.count) / msPerRequest
}

export interface Simulation {
  readonly size: FleetSize
  readonly mix: readonly RequestKind[]
  readonly requestsPerSecond: number
  readonly requests: number
  readonly random: Random
}

interface Job {
  readonly kind: RequestKind
  readonly arrivedMs: number
  /** When it is ready for the next resource. */
  readyMs: number
}

/**
 * Simulates requests at random times (a Poisson process). Each resource serves them in the order in which they
 * arrive.
 *
 * @returns the durations of the requests of each kind in milliseconds, ascending
 */
export function simulate(simulation: Simulation): ReadonlyMap<string, readonly number[]> {
  const { size, random } = simulation
  const jobs = arrivals(simulation)
  for (const resource of resourcesOf(size)) {
    const machines = Array.from({ length: resource.count }, () =>
      Array.from({ length: resource.servers }, () => 0),
    )
    for (const job of jobs.sort((a, b) => a.readyMs - b.readyMs)) {
      const ms = resource.msOf(job.kind)
      // A request that does not need the resource does not wait for it.
      if (ms > 0) serve(job, ms, machines[random.integer(0, machines.length - 1)] ?? [])
    }
  }
  const times = Map.groupBy(jobs, ({ kind }) => kind.name)
  return new Map(
    [...times].map(([name, all]) => [
      name,
      all.map(({ readyMs, arrivedMs }) => readyMs - arrivedMs).sort((a, b) => a - b),
    ]),
  )
}

function arrivals({ mix, requestsPerSecond, requests, random }: Simulation): Job[] {
  let nowMs = 0
  return Array.from({ length: requests }, () => {
    nowMs -= (Math.log(1 - random.next()) * 1_000) / requestsPerSecond
    return { kind: kindAt(mix, random.next()), arrivedMs: nowMs, readyMs: nowMs }
  })
}

function kindAt(mix: readonly RequestKind[], position: number): RequestKind {
  let sum = 0
  const kind = mix.find(({ share }) => {
    sum += share
    return position < sum
  })
  const found = kind ?? mix.at(-1)
  if (found === undefined) throw new Error('the mix is empty')
  return found
}

/** The server that is free first takes the job. */
function serve(job: Job, ms: number, freeAtMs: number[]): void {
  const first = freeAtMs.indexOf(Math.min(...freeAtMs))
  job.readyMs = Math.max(job.readyMs, freeAtMs[first] ?? 0) + ms
  freeAtMs[first] = job.readyMs
}
