import type { Server } from '../support/signed-fetch.ts'
import { type BelievedStore, send } from './store.ts'

/** How many clients try to create each object. */
const attemptsPerKey = 8

/** Clients that try to create the same objects. Each object has at most one winner. */
export class Creators {
  readonly #store: BelievedStore
  /** What was acknowledged, by key. */
  readonly #winners = new Map<string, string[]>()
  #attempts = 0

  constructor(store: BelievedStore) {
    this.#store = store
  }

  async create(server: Server): Promise<void> {
    const attempt = this.#attempts++
    const key = `once/${Math.floor(attempt / attemptsPerKey)}`
    const winners = this.#winners.get(key) ?? []
    this.#winners.set(key, winners)
    this.#store.ignore(key)
    const body = `attempt ${attempt}`
    const headers = { 'if-none-match': '*' }
    const request = { method: 'PUT', key, headers, body, expected: [200, 409, 412] }
    const { status } = await send(server, request)
    if (status === 200) winners.push(body)
  }

  /** An object that was created has what its winner wrote. */
  async verify(server: Server): Promise<string[]> {
    const problems: string[] = []
    for (const [key, winners] of this.#winners) {
      const { status, body } = await send(server, { method: 'GET', key, expected: [200, 404] })
      const found = status === 200 ? body.toString() : 'nothing'
      // Without a winner, it may be that of an attempt without a reply.
      if (winners.length > 1 || (winners.length === 1 && winners[0] !== found)) {
        problems.push(`${key}: created by ${winners.join(' and ')}, and has ${found}`)
      }
    }
    return problems
  }

  get counts() {
    const won = [...this.#winners.values()].filter(({ length }) => length > 0)
    return { created: won.length, attempts: this.#attempts }
  }
}
