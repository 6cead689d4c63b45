import type { ModelEntry } from './list-schemas.ts'

/** Bytes of a list. What does not fit is not listed, and its owner is told. */
export const maxListBytes = 16 * 1024 * 1024

/** The object around the entries. */
const frameBytes = 32
/** What `created` of ten digits and the comma add to an entry with one digit. */
const createdAndComma = 10

/** Counts the entries of one list. After the first one that does not fit, no other does. */
export class ListBudget {
  #left = maxListBytes - frameBytes
  #isSpent = false

  get isSpent(): boolean {
    return this.#isSpent
  }

  /** Takes the room of an entry, if there is enough. */
  take({ id, owned_by, kind }: Pick<ModelEntry, 'id' | 'owned_by' | 'kind'>): boolean {
    const json = JSON.stringify({ id, object: 'model', created: 0, owned_by, kind })
    this.#left -= Buffer.byteLength(json) + createdAndComma
    this.#isSpent ||= this.#left < 0
    return !this.#isSpent
  }
}
