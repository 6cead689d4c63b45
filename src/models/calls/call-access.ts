import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import {
  type AttemptLimiter,
  addressBlock,
} from '../../platform/state/key-value/attempt-limiter.ts'
import { fitsAny, type ModelKey, parseModelKey, type StoredModelKeys } from '../keys/model-keys.ts'
import type { KeyUse } from '../usage/usage-table.ts'
import { quoted } from './call-index.ts'
import { hasUseLimit, type KeyLimits, type Refusal, type Reserved } from './key-limits.ts'

/** The sender of a call. */
export interface Caller {
  /** The id of the model key; empty: MODELS_API_KEY. */
  readonly keyId: string
  /** The ids that it may call, with `*` for any text; undefined: all. */
  readonly patterns: readonly string[] | undefined
  allows(model: string): boolean
  /** @throws ApiError 403 */
  assertAllowed(model: string): void
  /** Counts a request. @throws ApiError 429 */
  assertWithinLimits(): Promise<void>
  /** Whether it has a limit of tokens or money, so that all that it uses must be counted. */
  readonly isMetered: boolean
  /** Whether it has a limit in money, so that it may call only models with a price. */
  readonly needsPrice: boolean
  /** Reserves what a call may use until the returned function is called. @throws ApiError 429 */
  hold(most: Reserved): Promise<() => void>
  /** Counts what an answer used. */
  use(used: KeyUse): void
}

interface CallAccessParts {
  /** MODELS_API_KEY. */
  readonly apiKey: string | undefined
  /** Whether the list of callable models needs no key. Default: false. */
  readonly isListOpen?: boolean
  readonly keys: Pick<StoredModelKeys, 'find' | 'isEmpty'>
  readonly limits: KeyLimits
  /** Limits guesses of MODELS_API_KEY. Model keys are too long to guess. */
  readonly limiter: Pick<AttemptLimiter, 'take' | 'clear'>
  readonly clientAddress: (request: HttpRequest) => string
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  /** Monotonic, milliseconds. Default: the clock of the process. */
  readonly elapsed?: () => number
}

/** The same number as the limiter allows within 15 minutes. */
const maxGuessesAtOnce = 5

/** The maximum number of blocked addresses. More are forgotten, the oldest first. */
const maxBlocked = 10_000

/** A sender who may call every model without limits. */
function unlimited(keyId: string): Caller {
  return {
    ...{ keyId, patterns: undefined, isMetered: false, needsPrice: false },
    allows: () => true,
    assertAllowed: () => undefined,
    assertWithinLimits: async () => undefined,
    hold: async () => () => undefined,
    use: () => undefined,
  }
}

const owner = unlimited('')

/** The sender of calls with a dashboard session. No model key has this ID. */
export const dashboardCaller = unlimited('dashboard')

/** Decides who may call models: nobody without MODELS_API_KEY and model keys. */
export class CallAccess {
  readonly #parts: CallAccessParts
  readonly #isApiKey: (key: string) => boolean
  /** By block of addresses, as the limiter counts. */
  readonly #blockedUntilMs = new Map<string, number>()
  /** The number of wrong keys that the limiter is counting now, by block. */
  readonly #guesses = new Map<string, number>()
  /** Blocks whose wrong keys this process has counted. */
  readonly #guessers = new Set<string>()
  readonly #known = new WeakMap<HttpRequest, Caller>()

  constructor(parts: CallAccessParts) {
    this.#parts = parts
    this.#isApiKey = parts.apiKey === undefined ? () => false : keyComparison(parts.apiKey)
  }

  /** Admits a call before its body is read. @throws ApiError 401, 429 or 503 */
  readonly admit = async (request: HttpRequest): Promise<void> => {
    this.#known.set(request, await this.#identify(request))
  }

  /** Admits a request for the list of the models that its key may call. @throws ApiError 401, 429 or 503 */
  readonly admitToKeyList = async (request: HttpRequest): Promise<void> => {
    const isOpen = this.#parts.isListOpen === true && sentKeys(request.headers).length === 0
    this.#known.set(request, isOpen ? owner : await this.#identify(request))
  }

  /**
   * Admits a request for the contract's model list. MODELS_API_KEY resets the count of wrong keys of its address.
   *
   * @throws ApiError always 401 (docs/contract/model-list.md, "Access")
   */
  readonly admitToList = async (request: HttpRequest): Promise<void> => {
    this.#known.set(request, owner)
    if (this.#parts.apiKey === undefined) return
    const sent = sentKeys(request.headers)
    if (sent.length === 0) throw unauthorized('Missing API key.')
    const key = await this.#keyIn(sent)
    if (key !== undefined) {
      this.#known.set(request, this.#callerOf(key))
      return
    }
    const address = this.#parts.clientAddress(request)
    await this.#assertApiKey(sent, address).catch((error: unknown) => {
      throw error instanceof ApiError ? unauthorized(error.message, error.headers) : error
    })
    if (!this.#guessers.delete(addressBlock(address))) return
    // If the store does not answer, the count expires after 15 minutes.
    await this.#parts.limiter.clear(address).catch(() => undefined)
  }

  /** The sender of an admitted request. */
  of(request: HttpRequest): Caller {
    const caller = this.#known.get(request)
    if (caller === undefined) throw new TypeError('the request was not admitted')
    return caller
  }

  async #identify(request: HttpRequest): Promise<Caller> {
    const { apiKey, keys } = this.#parts
    const sent = sentKeys(request.headers)
    if (apiKey === undefined && keys.isEmpty) throw unauthorized(noKeys)
    if (sent.length === 0)
      throw unauthorized('Missing API key. Send it as a bearer token or in x-api-key.')
    const key = await this.#keyIn(sent)
    if (key !== undefined) return this.#callerOf(key)
    if (apiKey === undefined) throw unauthorized('Invalid API key.')
    await this.#assertApiKey(sent, this.#parts.clientAddress(request))
    return owner
  }

  async #keyIn(sent: readonly string[]): Promise<ModelKey | undefined> {
    for (const text of sent) {
      const key = await this.#parts.keys.find(text)
      if (key !== undefined) return key
    }
    return undefined
  }

  /** @throws ApiError 401, or 429 after too many wrong keys; KeyValueError */
  async #assertApiKey(sent: readonly string[], address: string): Promise<void> {
    this.#assertNotBlocked(address)
    if (sent.some(this.#isApiKey)) return
    // A deleted model key is not a guess: it must not lock out other clients behind its address.
    for (const text of new Set(sent)) {
      if (parseModelKey(text) === undefined) await this.#countGuess(address)
    }
    throw unauthorized('Invalid API key.')
  }

  /** @throws ApiError 429 after too many, KeyValueError */
  async #countGuess(address: string): Promise<void> {
    const client = addressBlock(address)
    // Limits keys that are still being counted as well: otherwise many guesses at once would all be compared.
    this.#guesses.set(client, (this.#guesses.get(client) ?? 0) + 1)
    try {
      if (this.#guessers.size < maxBlocked) this.#guessers.add(client)
      const waitSeconds = await this.#parts.limiter.take(address)
      if (waitSeconds > 0) this.#block(client, waitSeconds)
    } finally {
      const left = (this.#guesses.get(client) ?? 1) - 1
      if (left > 0) this.#guesses.set(client, left)
      else this.#guesses.delete(client)
    }
    this.#assertNotBlocked(address)
  }

  #callerOf({ keyId, name, models, limits, expiresAtMs }: ModelKey): Caller {
    if (expiresAtMs !== undefined && expiresAtMs <= this.#parts.now()) {
      throw unauthorized(`The model key ${name} has expired.`)
    }
    const use = this.#parts.limits
    const patterns = models.includes('*') ? undefined : models
    const allows = (model: string) => fitsAny(model, patterns)
    return {
      ...{ keyId, patterns, allows, isMetered: hasUseLimit(limits) },
      needsPrice: limits.dollarsPerMonth !== undefined,
      assertAllowed(model) {
        if (allows(model)) return
        const message = `The model key ${name} does not allow the model ${quoted(model)}.`
        throw new ApiError(403, message, { code: 'model_not_allowed' })
      },
      async assertWithinLimits() {
        const refusal = await use.take(keyId, limits)
        if (refusal !== undefined) throw overLimit(name, refusal)
      },
      async hold(most) {
        const held = await use.hold(keyId, limits, most)
        if (typeof held === 'object') throw overLimit(name, held)
        return held
      },
      use: (used) => use.use(keyId, limits, used),
    }
  }

  #assertNotBlocked(address: string): void {
    if (this.#guesses.size === 0 && this.#blockedUntilMs.size === 0) return
    const client = addressBlock(address)
    const isGuessing = (this.#guesses.get(client) ?? 0) >= maxGuessesAtOnce
    const waitMs = (this.#blockedUntilMs.get(client) ?? 0) - this.#elapsed()
    if (waitMs <= 0 && !isGuessing) return
    const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) }
    throw new ApiError(429, 'Too many wrong API keys from this address. Try again later.', {
      headers,
    })
  }

  #elapsed(): number {
    return this.#parts.elapsed?.() ?? performance.now()
  }

  #block(client: string, seconds: number): void {
    this.#blockedUntilMs.set(client, this.#elapsed() + seconds * 1_000)
    const [oldest] = this.#blockedUntilMs.keys()
    if (this.#blockedUntilMs.size > maxBlocked && oldest !== undefined) {
      this.#blockedUntilMs.delete(oldest)
    }
  }
}

const noKeys =
  'Model calls are off, because there is no key for them. Set MODELS_API_KEY, or create a model key (POST /-/api/model-keys).'

function overLimit(name: string, { reason, waitSeconds }: Refusal): ApiError {
  return new ApiError(429, `The model key ${name} ${reason}`, {
    headers: { 'retry-after': String(waitSeconds) },
    code: 'rate_limit_exceeded',
  })
}

/** RFC 9110 section 15.5.2: a 401 names the authentication scheme. */
function unauthorized(message: string, headers: ApiError['headers'] = {}): ApiError {
  return new ApiError(401, message, { headers: { ...headers, 'www-authenticate': 'Bearer' } })
}

/** The keys of a request, as a bearer token or in x-api-key. */
function sentKeys(headers: IncomingHttpHeaders): readonly string[] {
  const { authorization = '' } = headers
  const scheme = /^bearer +/i.exec(authorization)?.[0]
  const bearer = scheme === undefined ? '' : authorization.slice(scheme.length)
  return [bearer, headers['x-api-key'] ?? ''].flat().filter((key) => key !== '')
}

/** Compares keys in constant time, through digests of equal length. */
function keyComparison(expected: string): (key: string) => boolean {
  const digest = digestOf(expected)
  return (key) => timingSafeEqual(digestOf(key), digest)
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
