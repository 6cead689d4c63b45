import { ApiError } from '../../platform/json-api/api-error.ts'
import { LaterWrites } from '../../platform/process/later-writes.ts'
import type { Log } from '../../platform/process/log.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { ActiveConnection } from '../list/stored-rows.ts'
import type { ModelRecord, ModelRecordTable } from '../usage/model-record-table.ts'
import type { BodyFields } from './call-body.ts'
import { EventStreamReader } from './event-stream.ts'
import { JsonScanner } from './json-syntax.ts'

/** Where a response is stored, and with which key it was made. */
interface StoredResponse extends Pick<CallTarget, 'ownId' | 'listedId'> {
  /** The model key; empty: MODELS_API_KEY. */
  readonly keyId: string
  readonly connectionId: string
}

interface StoredResponsesParts {
  readonly table: Pick<ModelRecordTable, 'add' | 'find'>
  readonly connections: () => Promise<readonly ActiveConnection[]>
  readonly log: Pick<Log, 'warn'>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

/** IDs that can be a part of a path as they are. */
const idForm = /^\w[\w.:=+-]{0,511}$/
/** The maximum number of responses in memory. More are read from the database. */
const maxKnown = 10_000
/** How long an answer waits until all processes can find it. */
const maxWaitMs = 1_000

/**
 * Remembers which connection has a response. An ID can only be used with the key that made it: otherwise a key could read
 * and continue what another one wrote.
 */
export class StoredResponses {
  readonly #parts: StoredResponsesParts
  readonly #known = new Map<string, StoredResponse>()
  #unwritten: ModelRecord[] = []
  readonly #writes: LaterWrites

  constructor(parts: StoredResponsesParts) {
    this.#parts = parts
    this.#writes = new LaterWrites({
      write: () => this.#write(),
      delayMs: 10_000,
      onFailure: (err) =>
        parts.log.warn({ err }, 'could not store where responses are; will retry'),
    })
  }

  /** Resolves when every process can find it. If the database does not answer, only this process can. */
  async remember(id: string, { connection, ownId, listedId }: CallTarget, keyId: string) {
    if (!idForm.test(id) || this.#known.has(id)) return
    const stored = { keyId, connectionId: connection.id, ownId, listedId }
    this.#keep(id, stored)
    this.#unwritten.push({ id, atMs: this.#parts.now(), json: JSON.stringify(stored) })
    await withinTime(this.#writes.flush(), maxWaitMs).catch(() => undefined)
  }

  /** The target of a request about a response. @throws ApiError 404; DatabaseError */
  async targetOf(id: string, keyId: string): Promise<CallTarget> {
    const stored = await this.#find(id)
    if (stored === undefined || stored.keyId !== keyId) throw notFound('Response', id)
    const connections = await this.#parts.connections()
    const connection = connections.find((one) => one.id === stored.connectionId)
    if (connection === undefined) throw notFound('Response', id)
    return { connection, ownId: stored.ownId, listedId: stored.listedId }
  }

  /**
   * The targets that know what a request continues: a response, or a conversation.
   *
   * @throws ApiError 400 or 404 if it is of another key, or if its connection does not have the model; DatabaseError
   */
  async withPrevious(
    targets: readonly CallTarget[],
    fields: BodyFields,
    keyId: string,
  ): Promise<readonly CallTarget[]> {
    const [previous, conversation] = previousOf(fields)
    const id = previous ?? conversation
    const stored = id === undefined ? undefined : await this.#find(id)
    // Nothing is known of what was made elsewhere. Only its account has it.
    if (id === undefined || stored === undefined) return targets
    const found = targets.filter(({ connection }) => connection.id === stored.connectionId)
    if (stored.keyId === keyId && found.length > 0) return found
    throw previous === undefined
      ? notFound('Conversation', id)
      : notFound('Previous response', id, 400)
  }

  /** As LaterWrites.flush. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  async #find(id: string): Promise<StoredResponse | undefined> {
    const known = this.#known.get(id)
    if (known !== undefined || !idForm.test(id)) return known
    const json = await this.#parts.table.find('response', id)
    if (json === undefined) return undefined
    const stored = JSON.parse(json) as StoredResponse
    this.#keep(id, stored)
    return stored
  }

  #keep(id: string, stored: StoredResponse): void {
    this.#known.set(id, stored)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  async #write(): Promise<void> {
    const records = this.#unwritten
    if (records.length === 0) return
    this.#unwritten = []
    try {
      await this.#parts.table.add('response', records)
    } catch (error) {
      this.#unwritten = [...records, ...this.#unwritten].slice(0, maxKnown)
      throw error
    }
  }
}

/** In the words of OpenAI, by which clients recognize it. */
function notFound(
  what: 'Response' | 'Previous response' | 'Conversation',
  id: string,
  status = 404,
): ApiError {
  const code = status === 400 ? 'previous_response_not_found' : undefined
  // Of another form, it may be any text, and the message is logged.
  const named = idForm.test(id) ? ` with id '${id.slice(0, 200)}'` : ''
  return new ApiError(status, `${what}${named} not found.`, { code })
}

function previousOf(
  fields: BodyFields,
): readonly [response: string | undefined, conversation: string | undefined] {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const [previous, conversation] = [
    readable(fields, 'previous_response_id'),
    readable(fields, 'conversation'),
  ]
  return [text(previous), text(conversation) ?? text(fieldOf(conversation, 'id'))]
}

/** @throws ApiError 400 for a value that is too long to be read here: the upstream could read it */
function readable(fields: BodyFields, name: 'previous_response_id' | 'conversation'): unknown {
  const value = fields.value(name)
  if (value !== undefined || fields.bytes(name) === undefined) return value
  throw new ApiError(400, `The field ${name} is too long.`, { field: name })
}

/** The beginning of the event that begins the stream of a response: it repeats the request, and may be long. */
const begunResponse = /"response"\s*:\s*\{\s*"id"\s*:\s*"([^"\\]+)"/

/** The IDs that an answer makes known: of the response, unless it is not stored, and of its conversation. */
export function idsIn(
  { held, isStream }: { readonly held: readonly Buffer[]; readonly isStream: boolean },
  fields: BodyFields,
): readonly string[] {
  const isStored = fields.value('store') !== false
  const bytes = isStored ? Buffer.concat(held) : Buffer.alloc(0)
  const response = isStream ? idInStream(bytes) : idOf(bytes)
  const [previous, conversation] = previousOf(fields)
  // `withPrevious` has looked only for one of them: the other could be the response of another key.
  const continued = previous === undefined ? conversation : undefined
  return [response, continued].filter((id) => id !== undefined)
}

function idInStream(bytes: Buffer): string | undefined {
  const events = new EventStreamReader().take(bytes)
  const ids = events.map(({ data }) =>
    fieldOf(fieldOf(parsedJson(data.toString()), 'response'), 'id'),
  )
  const found = ids.find((id) => typeof id === 'string')
  return typeof found === 'string' ? found : begunResponse.exec(bytes.toString())?.[1]
}

function idOf(bytes: Buffer): string | undefined {
  const scanner = new JsonScanner(['id'])
  scanner.feed(bytes)
  const [field] = scanner.fields('id')
  const id =
    field === undefined ? undefined : parsedJson(bytes.toString('utf8', field.start, field.end))
  return typeof id === 'string' ? id : undefined
}
