import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { Limiter } from '../../platform/process/limiter.ts'
import type { Connection } from '../list/routing-inputs.ts'
import { askUpstream, type UpstreamAnswer } from './ask-upstream.ts'
import {
  compatibleFlavour,
  type ModelsApi,
  secretsOf,
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  upstreamRequest,
} from './upstream.ts'

/**
 * The time limit for waiting, connecting, headers and body together
 * (docs/contract/model-list.md, "Upstream limits").
 */
const upstreamTimeoutMs = 5_000

/** The maximum concurrent requests of one process. More than needed; it bounds the sockets. */
const maxAskedAtOnce = 256

/** The minimum time between queries of one upstream, because lists may be public. */
const askEveryMs = 500

/**
 * Queries upstreams for their models. Answers are not cached (docs/contract/model-list.md, "Upstream
 * request"). Requests that run or wait for their turn are shared, so each list is at most as old as its
 * request. Gateways that are upstreams of each other end at the timeout: the second request finds the
 * first one running and shares it.
 */
export class Upstreams {
  readonly #timeoutMs: number
  readonly #limiter: Limiter
  /** Requests in progress, by their JSON. Concurrent lists share one socket of a stalled upstream. */
  readonly #underWay = new Map<string, Promise<UpstreamAnswer>>()
  /** When the next request may begin, by the same key. */
  readonly #turns = new Map<string, Promise<void>>()

  /** The limits are parameters for tests. */
  constructor({ timeoutMs = upstreamTimeoutMs, askedAtOnce = maxAskedAtOnce } = {}) {
    this.#timeoutMs = timeoutMs
    this.#limiter = new Limiter(askedAtOnce)
  }

  /**
   * The ids that an upstream lists, within the timeout.
   *
   * @throws UpstreamError for every failure of docs/contract/model-list.md, "Upstream request".
   */
  async modelIds(upstream: Upstream): Promise<readonly string[]> {
    return (await this.models(upstream)).ids
  }

  /** The same with what it says about its models. */
  async models(upstream: Upstream): Promise<UpstreamAnswer> {
    const request = upstreamRequest(upstream)
    const key = JSON.stringify(request)
    const shared = this.#underWay.get(key) ?? this.#askInTurn(key, request)
    this.#underWay.set(key, shared)
    try {
      return await shared
    } finally {
      if (this.#underWay.get(key) === shared) this.#underWay.delete(key)
    }
  }

  /**
   * Tests a connection: asks its upstream for the models now. A failure is reported, not thrown.
   *
   * @param modelsApi the API of a catalogue provider; a base URL of the connection replaces its
   * address.
   */
  async probe(connection: Connection, modelsApi?: ModelsApi): Promise<ProbeReport> {
    const startedAtMs = performance.now()
    const said = await this.#probed(connection, modelsApi)
    return { ...said, durationMs: Math.round(performance.now() - startedAtMs) }
  }

  async #probed(
    { provider, apiKey, providerSpecificData }: Connection,
    modelsApi: ModelsApi | undefined,
  ): Promise<Omit<ProbeReport, 'durationMs'>> {
    const flavour = compatibleFlavour(provider) ?? modelsApi?.flavour
    if (flavour === undefined) return noModelsApi
    const own = providerSpecificData?.baseUrl?.trim() ?? ''
    const fields = providerSpecificData?.headers ?? {}
    try {
      const baseUrl = own === '' ? modelsApi?.baseUrl : own
      const { url, headers } = upstreamRequest({ flavour, apiKey, baseUrl })
      const request = { url, headers: withFields(headers, fields) }
      return describeAnswer(await this.#ask(request, { wantsDetail: true }))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return describeFailure(error, secretsOf(apiKey, Object.values(fields)))
    }
  }

  async #askInTurn(key: string, request: UpstreamRequest): Promise<UpstreamAnswer> {
    await this.#turns.get(key)
    const turn = pause(askEveryMs).then(() => void this.#turns.delete(key))
    this.#turns.set(key, turn)
    return this.#ask(request, { wantsDetail: false })
  }

  async #ask(
    request: UpstreamRequest,
    options: { readonly wantsDetail: boolean },
  ): Promise<UpstreamAnswer> {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), this.#timeoutMs)
    const { signal } = timeout
    try {
      return await this.#limiter.run(signal, () => askUpstream(request, { ...options, signal }))
    } catch (error) {
      if (error instanceof UpstreamError) throw error
      throw new UpstreamError('timeout', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The fields of a connection replace others of the same name, in any case of letters. */
function withFields(headers: UpstreamRequest['headers'], fields: UpstreamRequest['headers']) {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...fields }
}

type Said = Omit<ProbeReport, 'durationMs'>

/** The maximum length of quoted upstream text, characters. */
const maxQuoted = 300

function describeAnswer({ status, ids }: UpstreamAnswer): Said {
  const models = ids.length === 1 ? '1 model' : `${ids.length} models`
  return { outcome: 'ok', status, modelCount: ids.length, message: `The upstream lists ${models}.` }
}

/** There is no address to send a request to. */
const noModelsApi: Said = {
  outcome: 'untested',
  message:
    'This connection cannot be tested: the catalogue has no API address for its provider. Its models are listed from the catalogue.',
}

/** @param secrets are removed from the text of the upstream, which may repeat them. */
function describeFailure(error: UpstreamError, secrets: readonly string[]): Said {
  const { status, detail = '' } = error
  const quoted = quote(detail, secrets)
  const addition = error.code === 'status' ? ` It said: ${quoted}` : ` (${quoted})`
  return {
    outcome: 'failed',
    ...(status === undefined ? {} : { status }),
    message: quoted === '' ? error.message : `${error.message}${addition}`,
  }
}

function quote(text: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  const plain = clean.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return plain.length > maxQuoted ? `${plain.slice(0, maxQuoted)}…` : plain
}

/** The result of a connection test. Never contains the key. */
export const probeReport = z.object({
  outcome: z
    .enum(['ok', 'failed', 'untested'])
    .describe('ok: the upstream returned a list of models. untested: no request was sent'),
  status: z.int().optional().describe('HTTP status of the upstream'),
  modelCount: z.int().optional().describe('Models in the list'),
  message: z.string().describe('A message to show, at most a few hundred characters'),
  durationMs: z.number(),
})

export type ProbeReport = z.output<typeof probeReport>
