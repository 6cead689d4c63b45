import { ApiError } from '../../platform/json-api/api-error.ts'
import { addressBlock } from '../../platform/state/key-value/attempt-limiter.ts'

/** The size of a first block: most bodies are small. */
export const smallBlockBytes = 4 * 1024
const blockBytes = 64 * 1024

/** What bodies may hold together, as multiples of the limit of one body. */
const shares = { address: 4, key: 6, all: 8 }
type Owner = readonly [kind: keyof typeof shares, id: string]

/** The memory that the bodies of calls take in this process. No model key, and no address of one, can take all of it. */
export class BodyMemory {
  readonly #maxBytes: number
  readonly #held = new Map<string, number>()

  /** @param maxBytes the limit of one body */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Returns a function that takes bytes for a caller, or returns them, if the number is negative.
   *
   * @param keyId empty: MODELS_API_KEY, which has no limits of its own
   * @throws ApiError 429 or 503, from that function
   */
  holder(keyId: string, address: string): (bytes: number) => void {
    const limited: readonly Owner[] = [
      ['address', addressBlock(address)],
      ['key', keyId],
    ]
    const owners: readonly Owner[] = [...(keyId === '' ? [] : limited), ['all', '']]
    return (bytes) => {
      const sizes = owners.map(([kind, id]) => {
        const name = `${kind} ${id}`
        const size = (this.#held.get(name) ?? 0) + bytes
        if (bytes > 0 && size > shares[kind] * this.#maxBytes) throw tooMuch(kind)
        return [name, size] as const
      })
      for (const [name, size] of sizes) {
        if (size > 0) this.#held.set(name, size)
        else this.#held.delete(name)
      }
    }
  }
}

function tooMuch(kind: Owner[0]): ApiError {
  const headers = { 'retry-after': '1' }
  const advice =
    'Send fewer large calls at the same time (MODELS_BODY_MIB), or try again in a second.'
  if (kind === 'all') {
    return new ApiError(503, `The bodies of all calls need too much memory. ${advice}`, { headers })
  }
  const message = `The bodies of calls from this ${kind} need too much memory. ${advice}`
  return new ApiError(429, message, { headers, code: 'rate_limit_exceeded' })
}

const none: Buffer = Buffer.alloc(0)

/** The bytes of one body, counted. In blocks: a client may send one-byte chunks, and each would be an object. */
export class HeldBytes {
  readonly #hold: (bytes: number) => void
  readonly #take: (bytes: Buffer) => void
  #blocks: Buffer[] = []
  #block = none
  /** Bytes in the last block. */
  #filled = 0
  size = 0

  /**
   * @param hold takes bytes of the memory; a negative number returns them
   * @param take called with each block that is full, in order
   */
  constructor(hold: (bytes: number) => void, take: (bytes: Buffer) => void) {
    this.#hold = hold
    this.#take = take
  }

  /** @throws ApiError */
  add(bytes: Buffer): void {
    this.#hold(bytes.length)
    this.size += bytes.length
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === this.#block.length) {
        // The first block is small, because most bodies are.
        const isSmall = this.size <= smallBlockBytes
        this.#nextBlock(Buffer.allocUnsafe(isSmall ? smallBlockBytes : blockBytes))
      }
      const copied = bytes.copy(this.#block, this.#filled, at)
      this.#filled += copied
      at += copied
    }
  }

  /** @throws ApiError */
  concat(): Buffer {
    this.#nextBlock(none)
    const whole = Buffer.concat(this.#blocks)
    this.#blocks = []
    return whole
  }

  #nextBlock(next: Buffer): void {
    const block = this.#block.subarray(0, this.#filled)
    this.#block = next
    this.#filled = 0
    this.#blocks.push(block)
    this.#take(block)
  }

  /** Takes memory for what is made of the bytes. @throws ApiError */
  reserve(bytes: number): void {
    this.#hold(bytes)
    this.size += bytes
  }

  release(): void {
    this.#hold(-this.size)
    this.size = 0
  }
}
