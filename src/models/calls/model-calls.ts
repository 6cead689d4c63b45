import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CallTarget, Resolution } from '../list/resolve-model.ts'
import type { CallClient } from '../upstream/call-client.ts'
import {
  callTarget,
  compatibleFlavour,
  UpstreamError,
  type UpstreamFlavour,
} from '../upstream/upstream.ts'
import { type Attempt, attempt, type ErrorAnswer } from './attempt.ts'
import type { Caller } from './call-access.ts'
import type { CallBodies, CallBody } from './call-body.ts'
import { headersForUpstream } from './call-headers.ts'
import { type CallIndex, quoted } from './call-index.ts'
import { type CallPath, pathsOfFlavour } from './call-paths.ts'
import { type CallRecorder, estimatedTokensOf } from './call-record.ts'
import { expectedUse, withPrice } from './costs.ts'
import { consequences, type Failure } from './failures.ts'
import { passedAnswer, passedError, UpstreamKeys } from './passed-answer.ts'
import type { Pause, Pauses } from './pauses.ts'
import { conversationOf, spread } from './spreading.ts'

export interface ModelCallsParts {
  readonly index: Pick<CallIndex, 'resolve'>
  readonly bodies: CallBodies
  readonly catalogue: Catalogue
  readonly client: Pick<CallClient, 'send'>
  readonly pauses: Pauses
  readonly record: CallRecorder
  readonly firstByteMs: number
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

/** A call in progress: what its attempts have in common. */
interface Call {
  readonly request: HttpRequest
  readonly path: CallPath
  readonly caller: Caller
  readonly body: CallBody
  /** Frees its memory and its reservation of tokens. May be called again. */
  readonly release: () => void
}

/** The results of the targets so far. */
interface Progress {
  attempts: number
  /** The first failure that is about the request, otherwise the last one. */
  failed: { readonly failure: Failure; readonly answer: ErrorAnswer | undefined } | undefined
  readonly paused: Pause[]
}

/** How long calls that were cut off may take to record their usage. */
const endMs = 2_000

/** Forwards calls to the connections that have the model, until one answers (docs/paths/a-model-call.md). */
export class ModelCalls {
  readonly #parts: ModelCallsParts
  readonly #underWay = new Set<Promise<void>>()

  constructor(parts: ModelCallsParts) {
    this.#parts = parts
  }

  /** @throws ApiError if the call is refused, or no upstream has answered it */
  async call(request: HttpRequest, path: CallPath, caller: Caller): Promise<HttpReply> {
    request.leaveWithClient()
    await caller.assertWithinLimits()
    const body = await this.#parts.bodies.read(request, path)
    const ended = Promise.withResolvers<void>()
    this.#underWay.add(ended.promise)
    let letGo: () => void = () => undefined
    const release = () => {
      body.release()
      letGo()
      this.#underWay.delete(ended.promise)
      ended.resolve()
    }
    try {
      const found = await this.#parts.index.resolve(body.model, path.kinds, caller)
      const { 'x-session-affinity': affinity } = request.headers
      const conversation = () => conversationOf(body.fields, affinity) ?? request.id
      const all = spread(this.#targetsOf(found, body.model, path), conversation)
      const targets = caller.needsPrice ? withPrice(all, body.model) : all
      if (path.isFree !== true) {
        const tokens = estimatedTokensOf(path, body.bytes)
        letGo = await caller.hold(expectedUse(tokens, targets, body.fields))
      }
      return await this.#tryAll(targets, { request, path, caller, body, release })
    } catch (error) {
      release()
      throw error
    }
  }

  /** Resolves when calls whose connections were closed have recorded their usage. */
  async ended(): Promise<void> {
    await withinTime(Promise.all(this.#underWay), endMs).catch(() => undefined)
  }

  /** The targets that speak the path's protocol. @throws ApiError */
  #targetsOf(
    { targets, isWeb }: Resolution,
    model: string,
    { flavour }: CallPath,
  ): readonly CallTarget[] {
    if (isWeb) {
      const message = `${quoted(model)} is a web search or fetch entry, which cannot be called.`
      throw new ApiError(400, message, { code: 'model_not_supported' })
    }
    const suitable = targets.filter((target) => this.#flavourOf(target) === flavour)
    if (suitable.length > 0) return suitable
    const [other] = targets
    if (other === undefined) {
      const message = `No active connection has the model ${quoted(model)}. Add or enable one in the dashboard.`
      throw new ApiError(503, message, { code: 'no_connection' })
    }
    const known = this.#flavourOf(other)
    if (known === undefined) {
      const message = `The catalogue has no API address for ${other.connection.provider}. Enter the base URL of an OpenAI-compatible API in its connection.`
      throw new ApiError(503, message, { code: 'no_connection' })
    }
    const message = `The connections of the model ${quoted(model)} speak another API. Use ${pathsOfFlavour[known]}.`
    throw new ApiError(400, message, { code: 'wrong_path' })
  }

  /** A provider with an address and an unknown API is taken for OpenAI-compatible. */
  #flavourOf({ connection: { provider, baseUrl } }: CallTarget): UpstreamFlavour | undefined {
    const known =
      compatibleFlavour(provider) ?? this.#parts.catalogue.byId.get(provider)?.modelsApi?.flavour
    return known ?? (baseUrl === undefined ? undefined : 'openai')
  }

  async #tryAll(targets: readonly CallTarget[], call: Call): Promise<HttpReply> {
    const progress: Progress = { attempts: 0, failed: undefined, paused: [] }
    for (const [index, target] of targets.entries()) {
      const pause = this.#parts.pauses.pauseOf(target, call.path.path)
      if (pause !== undefined) {
        progress.paused.push(pause)
        continue
      }
      progress.attempts += 1
      const startedAtMs = performance.now()
      const begin = () =>
        this.#parts.record.begin({
          ...{ caller: call.caller, target, path: call.path, bytes: call.body.bytes },
          firstByteMs: performance.now() - startedAtMs,
        })
      const made = await this.#attempt(target, call).catch((error: unknown) => {
        // The client has disconnected, or its body failed. The upstream may bill what it received.
        begin().end({ tokens: undefined, bytes: 0, isBroken: true, isWhole: false })
        throw error
      })
      const observed = begin()
      if ('begun' in made) {
        this.#parts.pauses.clear(target, call.path.path)
        return passedAnswer(made.begun, { call, target, attempts: progress.attempts, observed })
      }
      const triesNext =
        this.#fail(target, made, call, progress) &&
        targets
          .slice(index + 1)
          .some((next) => this.#parts.pauses.waitMs(next, call.path.path) === 0)
      observed.fail(made.failure.scope, triesNext)
      if (!triesNext) break
    }
    return this.#failed(targets, call, progress)
  }

  /** Returns whether another target may be tried. */
  #fail(
    target: CallTarget,
    made: Exclude<Attempt, { begun: unknown }>,
    { body, path }: Call,
    progress: Progress,
  ): boolean {
    const { failure } = made
    this.#parts.pauses.note(target, path.path, failure)
    const { triesNext, isAboutRequest } = consequences[failure.scope]
    const before = progress.failed
    const isKept = before !== undefined && consequences[before.failure.scope].isAboutRequest
    if (!isKept || (isAboutRequest && !triesNext)) progress.failed = made
    return triesNext && body.isWhole
  }

  async #attempt(target: CallTarget, { request, path, body }: Call): Promise<Attempt> {
    const { client, firstByteMs, now, catalogue } = this.#parts
    const { connection, ownId } = target
    const { apiKey, provider } = connection
    const baseUrl = connection.baseUrl ?? catalogue.byId.get(provider)?.modelsApi?.baseUrl
    try {
      const upstream = { flavour: path.flavour, baseUrl, apiKey }
      const { url, headers } = callTarget(upstream, path.path, request.rawQuery)
      const { body: bytes, length } = body.send(ownId)
      // The type by which the model was found.
      const { 'content-type': given = '' } = request.headers
      const type = path.body === 'json' ? 'application/json' : given
      const lengthField = length === undefined ? {} : { 'content-length': String(length) }
      const fields = headersForUpstream(request.rawHeaders, path.flavour, {
        ...headers,
        'content-type': type,
        ...lengthField,
      })
      const { signal } = request
      return await attempt(
        { url, headers: fields, body: bytes },
        { client, firstByteMs, now, signal, isRepeatable: body.isWhole },
      )
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      const failure = { scope: 'connection', status: 502, reason: error.message } as const
      return { failure, answer: undefined }
    }
  }

  /** @throws ApiError unless an upstream's own answer is passed on */
  #failed(
    targets: readonly CallTarget[],
    call: Call,
    { attempts, failed, paused }: Progress,
  ): HttpReply {
    const isFinal = failed !== undefined && !consequences[failed.failure.scope].triesNext
    const retryAfter = isFinal ? undefined : this.#earliest(targets, call.path)
    const headers = {
      'x-bucketry-attempts': String(attempts),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    }
    if (failed === undefined) throw allPaused(call.body.model, paused, headers)
    const { failure, answer } = failed
    // The answer to a refused key is about our key, and may quote it.
    if (answer === undefined || failure.scope === 'connection' || isEncoded(answer)) {
      throw new ApiError(failure.scope === 'connection' ? 502 : failure.status, failure.reason, {
        headers,
      })
    }
    call.release()
    return passedError(answer, { model: call.body.model, headers, keys: new UpstreamKeys(targets) })
  }

  /** The seconds until the first of the targets may be called again. */
  #earliest(targets: readonly CallTarget[], { path }: CallPath): number | undefined {
    const waitMs = Math.min(...targets.map((target) => this.#parts.pauses.waitMs(target, path)))
    return waitMs > 0 ? Math.ceil(waitMs / 1_000) : undefined
  }
}

/** Whether an answer is encoded although the call asked for identity. It could contain a key. */
function isEncoded({ headers }: ErrorAnswer): boolean {
  return headers['content-encoding'] !== undefined
}

/** The error if no target is called because all of them are paused. */
function allPaused(
  model: string,
  paused: readonly Pause[],
  headers: Readonly<Record<string, string>>,
): ApiError {
  const first = paused.toSorted((a, b) => a.untilMs - b.untilMs)[0]
  const reason = first?.reason ?? ''
  const message = `All connections for model ${quoted(model)} are paused after failures. ${reason}`
  if (paused.some(({ scope }) => scope === 'quota')) return new ApiError(429, message, { headers })
  const isUnknown = paused.every(({ scope }) => scope === 'model')
  if (isUnknown) return new ApiError(404, message, { headers, code: 'model_not_found' })
  return new ApiError(503, message, { headers })
}
