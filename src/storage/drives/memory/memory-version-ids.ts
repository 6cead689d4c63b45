import { randomBytes } from 'node:crypto'

/** The number of an order in an ID is of this many hexadecimal digits: enough for all safe integers. */
const orderDigits = 14

/** How many versions may be created in a millisecond before their orders are ahead of the clock. */
const ordersInMs = 1_000

/** Makes version IDs: 32 hexadecimal digits that are in the order of creation, and that nobody can guess. */
export class MemoryVersionIds {
  #last = 0

  next(nowMs: number): { readonly order: number; readonly id: string } {
    const order = Math.max(this.#last + 1, Math.floor(nowMs) * ordersInMs)
    this.#last = order
    const random = randomBytes(9).toString('hex')
    return { order, id: order.toString(16).padStart(orderDigits, '0') + random }
  }

  /** Infinity for the ID `null`, and for one that no version ever had. */
  orderOf(id: string): number {
    return /^[0-9a-f]{32}$/.test(id) ? Number.parseInt(id.slice(0, orderDigits), 16) : Infinity
  }
}
