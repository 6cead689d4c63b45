import { setTimeout as sleep } from 'node:timers/promises'
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
import { type Attempt, attempt } from './attempt.ts'
import type { Caller } from './call-access.ts'
import type { CallBodies, CallBody } from './call-body.ts'
import { headersForUpstream } from './call-headers.ts'
import { type CallIndex, quoted } from './call-index.ts'
import { type CallPath, pathsOfFlavour } from './call-paths.ts'
import { type CallRecorder, estimatedTokensOf, type ObservedCall } from './call-record.ts'
import { expectedUse, withPrice } from './costs.ts'
import { failedReply } from './failures/failed-reply.ts'
import { failureWithout } from './failures/failures.ts'
import type { Pauses, Sender } from './failures/pauses.ts'
import { RemainingTargets } from './failures/remaining-targets.ts'
import { passedAnswer } from './passed-answer.ts'
import { conversationOf, spread } from './spreading.ts'

export interface ModelCallsParts {
  readonly index: Pick<CallIndex, 'resolve'>
  readonly bodies: CallBodies
  readonly catalogue: Catalogue
  readonly client: Pick<CallClient, 'send'>
  readonly pauses: Pauses
  readonly record: CallRecorder
  /** The maximum time until a stream begins. */
  readonly firstByteMs: number
  /** The maximum time until another answer begins. */
  readonly answerMs: number
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

/** A call in progress: what its attempts have in common. */
interface Call {
  readonly request: HttpRequest
  readonly path: CallPath
  readonly caller: Caller
  readonly body: CallBody
  readonly sender: Sender
  /** Frees its memory and its reservation of tokens. May be called again. */
  readonly release: () => void
}

/** About how long after its failure the only target of a call is tried once more. */
const repeatMs = 300
/** How long a client hears nothing: proxies end connections that are silent for a minute. */
const patienceMs = 15_000
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
      const sender = senderOf(request, body, caller)
      const all = spread(this.#targetsOf(found, body.model, path), sender.conversation)
      const targets = caller.needsPrice ? withPrice(all, body.model) : all
      if (path.isFree !== true) {
        const tokens = estimatedTokensOf(path, body.bytes)
        letGo = await caller.hold(expectedUse(tokens, targets, body.fields))
      }
      return await this.#tryAll(targets, { request, path, caller, body, sender, release })
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
    const { pauses } = this.#parts
    const { path, body, sender } = call
    const left = new RemainingTargets(targets, { pauses, path: path.path, sender })
    for (let target = left.next; target !== undefined; ) {
      left.take(target)
      const { made, observed } = await this.#observedAttempt(target, call)
      if ('begun' in made) {
        pauses.clear(target, path.path)
        return passedAnswer(made.begun, { call, target, attempts: left.attempts, observed })
      }
      const { failure } = made
      left.fail(target, made, body.isWhole)
      const repeats = body.isWhole && left.repeats(target, failure)
      pauses.note(target, path.path, failure, sender)
      const next: CallTarget | undefined = repeats ? target : left.next
      observed.fail(failure.row.scope, next !== undefined)
      if (repeats)
        await sleep(repeatMs * (0.5 + Math.random()), undefined, { signal: call.request.signal })
      target = next
    }
    return failedReply(left, { call, targets })
  }

  async #observedAttempt(
    target: CallTarget,
    call: Call,
  ): Promise<{ readonly made: Attempt; readonly observed: ObservedCall }> {
    const startedAtMs = performance.now()
    const begin = () =>
      this.#parts.record.begin({
        ...{ caller: call.caller, target, path: call.path, bytes: call.body.bytes },
        firstByteMs: performance.now() - startedAtMs,
      })
    const made = await this.#attempt(target, call).catch((error: unknown) => {
      // The client has disconnected, or its body failed. The upstream may bill what it received.
      begin().end({
        ...{ tokens: undefined, bytes: 0, contentBytes: 0 },
        ...{ isBroken: true, isWhole: false },
      })
      throw error
    })
    return { made, observed: begin() }
  }

  async #attempt(target: CallTarget, { request, path, body }: Call): Promise<Attempt> {
    const { client, firstByteMs, answerMs, now, catalogue } = this.#parts
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
        {
          ...{ client, now, signal, isRepeatable: body.isWhole, patienceMs },
          firstByteMs: body.fields.value('stream') === true ? firstByteMs : answerMs,
        },
      )
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return { failure: failureWithout('unreachable', 502, error.message), answer: undefined }
    }
  }
}

function senderOf({ headers, id }: HttpRequest, body: CallBody, { keyId }: Caller): Sender {
  const { 'x-session-affinity': affinity } = headers
  let known: string | undefined
  return {
    keyId,
    conversation: () => {
      known ??= conversationOf(body.fields, affinity) ?? id
      return known
    },
  }
}
