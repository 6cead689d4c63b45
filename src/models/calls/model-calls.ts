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
import { type Attempt, attempt, type BegunAnswer } from './attempt.ts'
import type { Caller } from './call-access.ts'
import { type BodyFields, type CallBodies, type CallBody, noBody } from './call-body.ts'
import { headersForUpstream, ofAnyApi } from './call-headers.ts'
import { type CallIndex, quoted } from './call-index.ts'
import { type CallPath, pathsOfFlavour } from './call-paths.ts'
import {
  type CallNote,
  type CallRecorder,
  clientLeft,
  estimatedTokensOf,
  type ObservedCall,
} from './call-record.ts'
import { expectedUse, withPrice } from './costs.ts'
import { failedReply } from './failures/failed-reply.ts'
import { failureWithout } from './failures/failures.ts'
import type { Pauses, Sender } from './failures/pauses.ts'
import { RemainingTargets } from './failures/remaining-targets.ts'
import type { BodyField } from './model-name.ts'
import { passedAnswer } from './passed-answer.ts'
import { conversationOf, spread } from './spreading.ts'
import { idsIn, type StoredResponses } from './stored-responses.ts'
import { RenamedLimits, TranslatedCall } from './translated-call.ts'
import { isTranslated, translatedTargets, upstreamOf } from './translated-targets.ts'
import { waitingStream } from './waiting-stream.ts'

export interface ModelCallsParts {
  readonly index: Pick<CallIndex, 'resolve'>
  readonly bodies: CallBodies
  readonly catalogue: Catalogue
  readonly client: Pick<CallClient, 'send'>
  readonly pauses: Pauses
  readonly record: CallRecorder
  readonly responses: Pick<StoredResponses, 'remember' | 'targetOf' | 'withPrevious'>
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
  /** Whether the client asks for a stream of events. */
  readonly isStream: boolean
  readonly sender: Sender
  readonly note: CallNote
  /** Of a stored response. */
  readonly id: string | undefined
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
  readonly #renamed = new RenamedLimits()

  constructor(parts: ModelCallsParts) {
    this.#parts = parts
  }

  /**
   * @param id of a stored response, on paths that have one
   * @throws ApiError if the call is refused, or no upstream has answered it
   */
  async call(
    request: HttpRequest,
    path: CallPath,
    caller: Caller,
    id?: string,
  ): Promise<HttpReply> {
    request.leaveWithClient()
    const note = this.#parts.record.open({ request, path, caller })
    try {
      await caller.assertWithinLimits()
      return await this.#call({ request, path, caller, note, id })
    } catch (error) {
      note.end(endOf(error, request))
      throw error
    }
  }

  async #call(given: Omit<Call, 'body' | 'isStream' | 'sender' | 'release'>): Promise<HttpReply> {
    const { request, path, caller, note, id } = given
    const { bodies, responses } = this.#parts
    const stored = id === undefined ? undefined : await responses.targetOf(id, caller.keyId)
    const body = stored === undefined ? await bodies.read(request, path) : noBody(stored.listedId)
    note.model = body.model
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
      const sender = senderOf(request, body, caller)
      const isStream = body.fields.value('stream') === true
      const call = { ...given, body, isStream, sender, release }
      const targets = stored === undefined ? await this.#targets(call) : [stored]
      if (path.isFree !== true) {
        const tokens = estimatedTokensOf(path, body.bytes)
        letGo = await caller.hold(expectedUse(tokens, targets, body.fields))
      }
      const coming = this.#tryAll(targets, call)
      if (!isStream) return await coming
      coming.catch((error: unknown) => {
        release()
        note.end(endOf(error, request))
      })
      const { model } = body
      return await waitingStream(coming, { path, target: request.rawPath, model, patienceMs })
    } catch (error) {
      release()
      throw error
    }
  }

  /** Resolves when calls whose connections were closed have recorded their usage. */
  async ended(): Promise<void> {
    await withinTime(Promise.all(this.#underWay), endMs).catch(() => undefined)
  }

  /** The targets in the order of attempts. @throws ApiError */
  async #targets({ path, caller, body, sender }: Call): Promise<readonly CallTarget[]> {
    const { model, fields } = body
    assertPlain(fields, caller)
    const found = await this.#parts.index.resolve(model, path.kinds, caller)
    const all = this.#targetsOf(found, model, path).flatMap((group) =>
      spread(group, sender.conversation),
    )
    const priced = caller.needsPrice && path.isFree !== true ? withPrice(all, model) : all
    if (!path.path.startsWith('/responses')) return priced
    return await this.#parts.responses.withPrevious(priced, fields, caller.keyId)
  }

  /** The targets that speak the path's API, and those to which the call is translated. @throws ApiError */
  #targetsOf(
    { targets, isWeb }: Resolution,
    model: string,
    path: CallPath,
  ): readonly (readonly CallTarget[])[] {
    if (isWeb) {
      const message = `${quoted(model)} is a web search or fetch entry, which cannot be called.`
      throw new ApiError(400, message, { code: 'model_not_supported' })
    }
    const flavourOf = (target: CallTarget) => this.#flavourOf(target)
    const suitable = targets.filter((target) => flavourOf(target) === path.flavour)
    const translated = translatedTargets(targets, path, flavourOf)
    if (suitable.length + translated.length > 0) return [suitable, translated]
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
    const { body, sender } = call
    const pathOf = (target: CallTarget) => upstreamOf(target, call.path).path
    const left = new RemainingTargets(targets, { pauses, pathOf, sender })
    for (let target = left.next; target !== undefined; ) {
      const translated = this.#translated(target, call, left)
      if (translated === 'refused') {
        left.leaveOut(target)
        target = left.next
        continue
      }
      left.take(target)
      pauses.probe(target, pathOf(target))
      const { made, observed } = await this.#observedAttempt(target, call, translated)
      const path = pathOf(target)
      if ('begun' in made) {
        await this.#noteSuccess(made.begun, target, call)
        return passedAnswer(made.begun, { call, target, attempts: left.attempts, observed })
      }
      const { failure } = made
      left.fail(target, made, body.isWhole)
      const repeats = body.isWhole && left.repeats(target, failure)
      pauses.note(target, path, failure, sender)
      const next: CallTarget | undefined = repeats ? target : left.next
      observed.fail(failure, next !== undefined, made.tokens)
      if (repeats)
        await sleep(repeatMs * (0.5 + Math.random()), undefined, { signal: call.request.signal })
      target = next
    }
    const reply = failedReply(left, { call, targets })
    call.note.end({ status: reply.status, reason: left.failed?.failure.reason ?? null })
    return reply
  }

  /** Ends pauses. A stored response is remembered before its client learns the ID, so that every process finds it. */
  async #noteSuccess(
    begun: BegunAnswer,
    target: CallTarget,
    { path, body, caller }: Call,
  ): Promise<void> {
    const { pauses, responses } = this.#parts
    const isOwn = !isTranslated(target)
    // A count that is estimated says nothing about the upstream.
    if (isOwn || path.isFree !== true) pauses.clear(target, upstreamOf(target, path).path)
    const ids = isOwn && path.isStored === true ? idsIn(begun, body.fields) : []
    await Promise.all(ids.map((id) => responses.remember(id, target, caller.keyId)))
  }

  /**
   * The call in the API of a target; undefined: its own. If another target of the client's API may take it later, the
   * client hears of that, not of what cannot be translated.
   *
   * @throws ApiError 400
   */
  #translated(
    target: CallTarget,
    { request, path, body, sender }: Call,
    left: RemainingTargets,
  ): TranslatedCall | 'refused' | undefined {
    if (!isTranslated(target)) return undefined
    const { native } = target
    const pause = native && this.#parts.pauses.pauseOf(native, path.path, sender)
    if (native !== undefined && pause?.row.scope !== 'model') return 'refused'
    const known = this.#parts.catalogue.byId.get(target.connection.provider)
    const maxOutput = known?.models.get(target.ownId)?.facts?.max_output_tokens
    const [renamed, nowMs] = [this.#renamed, this.#parts.now()]
    try {
      return new TranslatedCall({ target, path, request, body, renamed, maxOutput, nowMs })
    } catch (error) {
      if (!(error instanceof ApiError) || !left.mayPass) throw error
      return 'refused'
    }
  }

  async #observedAttempt(
    target: CallTarget,
    call: Call,
    translated: TranslatedCall | undefined,
  ): Promise<{ readonly made: Attempt; readonly observed: ObservedCall }> {
    const startedAtMs = performance.now()
    const begin = () =>
      call.note.begin({
        ...{ target, bytes: call.body.bytes },
        firstByteMs: performance.now() - startedAtMs,
      })
    const made = await this.#attemptIn(target, call, translated).catch((error: unknown) => {
      // The client has disconnected, or its body failed. The upstream may bill what it received.
      const status = error instanceof ApiError ? error.status : clientLeft
      begin().end({
        ...{ status, tokens: undefined, bytes: 0, contentBytes: 0 },
        ...{ isBroken: true, isWhole: false },
      })
      throw error
    })
    return { made, observed: begin() }
  }

  async #attemptIn(
    target: CallTarget,
    call: Call,
    translated: TranslatedCall | undefined,
  ): Promise<Attempt> {
    if (translated === undefined) return await this.#attempt(target, call)
    if (call.path.isFree === true) return translated.counted()
    let made = await this.#attempt(target, call, translated)
    while (translated.learns(made)) made = await this.#attempt(target, call, translated)
    return await translated.finish(made)
  }

  async #attempt(
    target: CallTarget,
    { request, path: given, body, isStream, id = '' }: Call,
    translated?: TranslatedCall,
  ): Promise<Attempt> {
    const { client, firstByteMs, answerMs, now, catalogue } = this.#parts
    const { connection, ownId } = target
    const { apiKey, provider } = connection
    const baseUrl = connection.baseUrl ?? catalogue.byId.get(provider)?.modelsApi?.baseUrl
    try {
      const { path: template, flavour } = upstreamOf(target, given)
      const path = template.replace('{id}', encodeURIComponent(id))
      const isOwn = translated === undefined
      const query = isOwn ? request.rawQuery : ''
      const { url, headers } = callTarget({ flavour, baseUrl, apiKey }, path, query)
      const { body: bytes, length } = isOwn ? body.send(ownId) : translated.send()
      // The type by which the model was found.
      const { 'content-type': formType = '' } = request.headers
      const type = given.body === 'json' ? 'application/json' : formType
      const lengthField = length === undefined ? {} : { 'content-length': String(length) }
      const sent = isOwn ? request.rawHeaders : ofAnyApi(request.rawHeaders)
      const bodyFields = given.body !== 'none' && { 'content-type': type, ...lengthField }
      const own = { ...headers, ...bodyFields }
      const fields = headersForUpstream(sent, flavour, own, connection.headers)
      const { signal } = request
      return await attempt(
        {
          ...{ url, method: given.method, headers: fields },
          body: given.body === 'none' ? undefined : bytes,
        },
        {
          ...{ client, now, signal, isRepeatable: body.isWhole, patienceMs },
          firstByteMs: isStream ? firstByteMs : answerMs,
        },
      )
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return { failure: failureWithout('unreachable', 502, error.message), answer: undefined }
    }
  }
}

/** Fields by which OpenRouter and LiteLLM use other models than the one of the call. */
const otherModels = ['models', 'fallbacks'] as const

/** @throws ApiError 403 for a field by which a key would get around its models or its limits */
function assertPlain(fields: BodyFields, { patterns, isMetered, needsPrice }: Caller): void {
  const isGiven = (name: BodyField) => !['', 'null'].includes(String(fields.bytes(name) ?? ''))
  const refuse = (field: BodyField, limited: string) => {
    const message = `The field ${field} cannot be used with this key, because the key has ${limited}.`
    throw new ApiError(403, message, { field, code: 'unsupported_parameter' })
  }
  const other = otherModels.find(isGiven)
  if (other !== undefined && patterns !== undefined) refuse(other, 'a list of allowed models')
  if (other !== undefined && needsPrice) refuse(other, 'a limit in US dollars')
  // The answer of such a call reports no tokens yet.
  if (isMetered && fields.value('background') === true) refuse('background', 'a limit of use')
}

/** How a call without an answer is logged. */
function endOf(error: unknown, { signal }: HttpRequest) {
  if (signal.aborted) return { status: clientLeft, reason: 'The client disconnected.' }
  const { status, message: reason } = error instanceof ApiError ? error : failed
  return { status, reason }
}

const failed = { status: 500, message: 'Internal error; see the log of the service.' }

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
