import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { BegunAnswer } from './attempt.ts'
import type { Caller } from './call-access.ts'
import { type CallBodies, type CallBody, noBody } from './call-body.ts'
import type { CallPath } from './call-paths.ts'
import { CallNote, clientLeft, type Sinks } from './call-record.ts'
import { type CallTargetsParts, targetsOfCall } from './call-targets.ts'
import { mostUsed } from './costs.ts'
import { failedReply } from './failures/failed-reply.ts'
import type { Pauses, Sender } from './failures/pauses.ts'
import { RemainingTargets } from './failures/remaining-targets.ts'
import { passedAnswer } from './passed-answer.ts'
import { conversationOf } from './spreading.ts'
import { idsIn, type StoredResponses } from './stored-responses.ts'
import { type AttemptedCall, TargetAttempts, type TargetAttemptsParts } from './target-attempts.ts'
import type { TranslatedCall } from './translated-call.ts'
import { isTranslated, upstreamOf } from './translated-targets.ts'
import { patienceMs, waitingStream } from './waiting-stream.ts'

export interface ModelCallsParts extends CallTargetsParts, TargetAttemptsParts {
  readonly bodies: CallBodies
  readonly pauses: Pauses
  readonly sinks: Sinks
  readonly responses: Pick<StoredResponses, 'remember' | 'targetOf' | 'withPrevious'>
}

/** A call in progress. */
interface Call extends AttemptedCall {
  readonly caller: Caller
  readonly sender: Sender
}

/** About how long after its failure the only target of a call is tried once more. */
const repeatMs = 300
/** How long calls that were cut off may take to record their usage. */
const endMs = 2_000

/** Forwards calls to the connections that have the model, until one answers (docs/paths/a-model-call.md). */
export class ModelCalls {
  readonly #parts: ModelCallsParts
  readonly #underWay = new Set<Promise<void>>()
  readonly #attempts: TargetAttempts

  constructor(parts: ModelCallsParts) {
    this.#parts = parts
    this.#attempts = new TargetAttempts(parts)
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
    const note = new CallNote({ request, path, caller }, this.#parts.sinks)
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
    const body =
      stored === undefined
        ? await bodies.read(request, path, caller.keyId)
        : noBody(stored.listedId)
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
      const targets = stored === undefined ? await targetsOfCall(call, this.#parts) : [stored]
      if (path.isFree !== true) {
        letGo = await caller.hold(mostUsed(path, body, targets))
        request.signal.throwIfAborted()
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
      const { made, observed } = await this.#attempts.observed(target, call, translated)
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
    const reply = failedReply(left, call, targets)
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
    call: Call,
    left: RemainingTargets,
  ): TranslatedCall | 'refused' | undefined {
    if (!isTranslated(target)) return undefined
    const { native } = target
    const pause = native && this.#parts.pauses.pauseOf(native, call.path.path, call.sender)
    if (native !== undefined && pause?.row.scope !== 'model') return 'refused'
    try {
      return this.#attempts.translated(target, call)
    } catch (error) {
      if (!(error instanceof ApiError) || !left.mayPass) throw error
      return 'refused'
    }
  }
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
