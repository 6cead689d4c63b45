import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Server } from '../support/signed-fetch.ts'
import { Creators } from './fleet-creators.ts'
import type { FleetClients } from './fleet-drive.ts'
import type { FleetMember } from './fleet-member.ts'
import {
  type BelievedStore,
  NoReply,
  type OpenUpload,
  readProblem,
  replyMs,
  send,
  UnexpectedReply,
} from './store.ts'
import { finishUpload, overtakeUpload } from './uploads.ts'
import { type Shapes, step } from './writers.ts'

const counterKey = 'counter'
/** The longest pause between two steps of a client: other tests need the processors, too. */
const longestPauseMs = 200
const pauseAfterFailureMs = 50

export type Fleet = readonly [FleetMember, ...FleetMember[]]

interface FleetWorkload {
  readonly fleet: Fleet
  readonly store: BelievedStore
  readonly random: Random
  readonly clients: FleetClients
  readonly shapes?: Shapes | undefined
}

/** Error replies that are allowed while the gateway, the database or another gateway is disturbed. */
const disturbed = / answered (500|503):/

/** Clients that write through all gateways of a fleet, and continue when a request fails. */
export class FleetWriters {
  readonly counts = {
    steps: 0,
    failures: 0,
    withoutReply: 0,
    acknowledged: 0,
    unknown: 0,
    overtaken: 0,
    reads: 0,
  }
  readonly creators: Creators
  readonly #workload: FleetWorkload
  readonly #overtaken = new Set<OpenUpload>()
  /** How many clients use each gateway. */
  readonly #clients = new Map<FleetMember, number>()
  /** Like the limit of a load balancer: if all gateways but one are suspended, some clients still use that one. */
  readonly #mostAtOneGateway: number

  constructor(workload: FleetWorkload) {
    const { fleet, clients, store } = workload
    this.#workload = workload
    this.creators = new Creators(store)
    const all = Object.values(clients).reduce((sum, count) => sum + count, 0)
    this.#mostAtOneGateway = Math.ceil(all / fleet.length)
  }

  /** Writes the counter. Call it before the first disturbance: it fails at any error. */
  async begin(): Promise<void> {
    const { server } = this.#workload.random.pick(this.#workload.fleet)
    await send(server, { method: 'PUT', key: counterKey, body: '0' })
    // It is not one of the keys of the store's histories.
    this.#workload.store.ignore(counterKey)
  }

  /** Resolves with the replies that no disturbance explains. */
  async run(isOver: () => boolean): Promise<string[]> {
    const problems: string[] = []
    const { random, clients } = this.#workload
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work()
        this.counts.steps += 1
        await delay(random.integer(0, longestPauseMs))
      } catch (error) {
        this.counts.failures += 1
        if (error instanceof NoReply) this.counts.withoutReply += 1
        if (error instanceof Error && this.#isProblem(error)) problems.push(error.message)
        await delay(pauseAfterFailureMs)
      }
    }
    const all = (count: number, work: (index: number) => Promise<void>) =>
      Array.from({ length: count }, async (_, index) => {
        while (!isOver()) await attempt(() => work(index))
      })
    await Promise.all([
      ...all(clients.writers, (index) => this.#step(index)),
      ...all(clients.counters, () => this.#increment()),
      ...all(clients.creators, () => this.#through((server) => this.creators.create(server))),
      ...all(clients.readers, () => this.#readAny(problems)),
    ])
    return problems
  }

  /** Finishes an upload whose Complete or part got no reply, or does something newer with its key. */
  async settle(server: Server, upload: OpenUpload): Promise<void> {
    const { store, random } = this.#workload
    // Once something newer was sent, a repeated Complete may succeed without storing the object again.
    if (random.next() < 0.3) this.#overtaken.add(upload)
    const settle = this.#overtaken.has(upload) ? overtakeUpload : finishUpload
    await settle(server, store, upload)
  }

  /** The counter has each acknowledged increment once. It may have the others. */
  async verifyCounter(): Promise<string[]> {
    const { acknowledged, unknown } = this.counts
    const value = (await this.#read()).value
    const isRight = value >= acknowledged && value <= acknowledged + unknown
    return isRight
      ? []
      : [`the counter is ${value}: ${acknowledged} acknowledged, ${unknown} unknown`]
  }

  /** Whether no disturbance explains it. */
  #isProblem(error: Error): boolean {
    if (error instanceof UnexpectedReply) return !disturbed.test(error.message)
    if (!(error instanceof NoReply)) return false
    const member = this.#workload.fleet.find(({ server }) => server.host === error.host)
    return member !== undefined && member.calmMs > replyMs
  }

  async #step(index: number): Promise<void> {
    await this.#through((server) => this.#stepThrough(server, index))
  }

  /** Uses one of the gateways that have not reached their limit of clients. */
  async #through<Result>(work: (server: Server) => Promise<Result>): Promise<Result> {
    const { fleet, random } = this.#workload
    const clientsOf = (member: FleetMember) => this.#clients.get(member) ?? 0
    const isFree = (member: FleetMember) => clientsOf(member) < this.#mostAtOneGateway
    const [first, ...others] = fleet.filter(isFree)
    if (first === undefined) throw new Error('there are more clients than the gateways may have')
    const member = random.pick([first, ...others])
    this.#clients.set(member, clientsOf(member) + 1)
    try {
      return await work(member.server)
    } finally {
      this.#clients.set(member, clientsOf(member) - 1)
    }
  }

  async #stepThrough(server: Server, index: number): Promise<void> {
    const { store, random, shapes } = this.#workload
    // A Complete without a reply may take effect until the client does something else with the key or the upload.
    for (const upload of store.openUploads) {
      if (!upload.key.startsWith(`w${index}/`)) continue
      await this.settle(server, upload)
    }
    await step({ server, store, random, shapes, onStep: () => undefined }, index)
  }

  async #readAny(problems: string[]): Promise<void> {
    const { store, random } = this.#workload
    const [first = '', ...others] = store.histories.keys()
    const key = random.pick([first, ...others])
    const problem = await this.#through((server) => readProblem(server, store, key))
    if (problem !== undefined) problems.push(problem)
    this.counts.reads += 1
  }

  async #read() {
    const request = { method: 'GET', key: counterKey }
    const { headers, body } = await this.#through((server) => send(server, request))
    return { value: Number(body.toString()), etag: headers.get('etag') ?? '' }
  }

  async #increment(): Promise<void> {
    const { value, etag } = await this.#read()
    const headers = { 'if-match': etag }
    const request = { method: 'PUT', key: counterKey, headers, body: String(value + 1) }
    this.counts.unknown += 1
    const { status } = await this.#through((server) =>
      send(server, { ...request, expected: [200, 412] }),
    )
    this.counts.unknown -= 1
    if (status === 200) this.counts.acknowledged += 1
    else this.counts.overtaken += 1
  }
}
