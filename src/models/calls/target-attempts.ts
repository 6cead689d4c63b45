import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { CallClient } from '../upstream/call-client.ts'
import { callTarget, UpstreamError } from '../upstream/upstream.ts'
import { type Attempt, attempt } from './attempt.ts'
import type { CallBody } from './call-body.ts'
import { headersForUpstream, ofAnyApi } from './call-headers.ts'
import type { CallPath } from './call-paths.ts'
import { type CallNote, clientLeft, type ObservedCall } from './call-record.ts'
import { failureWithout } from './failures/failures.ts'
import { RenamedLimits, TranslatedCall } from './translated-call.ts'
import { type TranslatedTarget, upstreamOf } from './translated-targets.ts'
import { patienceMs } from './waiting-stream.ts'

export interface TargetAttemptsParts {
  readonly catalogue: Catalogue
  readonly client: Pick<CallClient, 'send'>
  /** The maximum time until a stream begins. */
  readonly firstByteMs: number
  /** The maximum time until another answer begins. */
  readonly answerMs: number
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

/** What the attempts of a call have in common. */
export interface AttemptedCall {
  readonly request: HttpRequest
  readonly path: CallPath
  readonly body: CallBody
  /** Whether the client asks for a stream of events. */
  readonly isStream: boolean
  readonly note: CallNote
  /** Of a stored response. */
  readonly id: string | undefined
  /** Frees its memory and what it has reserved. May be called again. */
  readonly release: () => void
}

/** Sends calls to their targets, in the API of each. */
export class TargetAttempts {
  readonly #parts: TargetAttemptsParts
  readonly #renamed = new RenamedLimits()

  constructor(parts: TargetAttemptsParts) {
    this.#parts = parts
  }

  /** The call in the API of a target. @throws ApiError 400 that names what cannot be translated */
  translated(target: TranslatedTarget, { request, path, body }: AttemptedCall): TranslatedCall {
    const [renamed, nowMs] = [this.#renamed, this.#parts.now()]
    return new TranslatedCall({ target, path, request, body, renamed, nowMs })
  }

  /** @param translated undefined: the call is sent as it is */
  async observed(
    target: CallTarget,
    call: AttemptedCall,
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
    call: AttemptedCall,
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
    { request, path: given, body, isStream, id = '' }: AttemptedCall,
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
