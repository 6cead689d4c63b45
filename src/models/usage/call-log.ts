import { z } from 'zod'
import { type Access, type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import { LaterWrites } from '../../platform/process/later-writes.ts'
import type { Log } from '../../platform/process/log.ts'
import type { ModelRecordTable } from './model-record-table.ts'

const attempt = z.object({
  connectionId: z.string(),
  model: z.string().meta({ description: 'The ID in the list.' }),
  reason: z.string().nullable().meta({ description: 'Why it failed. null: it answered.' }),
  status: z
    .int()
    .meta({ description: 'Of the upstream; of a failure without an answer, the own.' }),
  ms: z.int().meta({ description: 'Until the answer began, or the failure.' }),
})

const call = z.object({
  id: z.string().meta({ description: 'x-request-id of the reply, and the request ID of the log.' }),
  at: z.iso.datetime().meta({ description: 'When the call arrived.' }),
  keyId: z.string().meta({ description: 'The model key; empty: MODELS_API_KEY.' }),
  path: z.string().meta({ description: 'Below /v1.' }),
  model: z.string().meta({ description: 'As the client wrote it; empty: it was not read.' }),
  status: z.int().meta({ description: 'What the client got.' }),
  reason: z.string().nullable().meta({ description: 'Why it failed. null: it did not.' }),
  attempts: z.array(attempt),
  durationMs: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  dollars: z.number(),
})

/** A call of the log. It has no text of requests and answers. */
export type LoggedCall = z.infer<typeof call>

const maxPage = 100

const callsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(maxPage).default(50),
  after: z
    .string()
    .regex(/^\d{1,15}\.[\w-]{1,100}$/, 'expected `next` of the previous page')
    .optional(),
})

const callsReply = z.object({
  calls: z.array(call),
  next: z.string().nullable().meta({ description: 'Pass as `after` to get older calls.' }),
})

/** The reply of `GET /-/api/calls`. */
export type CallsReply = z.infer<typeof callsReply>

interface CallLogParts {
  readonly table: Pick<ModelRecordTable, 'add' | 'page'>
  readonly log: Pick<Log, 'warn'>
}

const flushMs = 2_000
/** The table keeps no more; of a flood, the latest calls are kept. */
const maxWaiting = 1_000
/** Clients choose the model. */
const maxText = 300

/** The latest calls of all processes, one by one. No call waits for the write. */
export class CallLog {
  readonly #parts: CallLogParts
  #waiting: LoggedCall[] = []
  readonly #writes: LaterWrites

  constructor(parts: CallLogParts) {
    this.#parts = parts
    this.#writes = new LaterWrites({
      write: () => this.#write(),
      delayMs: flushMs,
      onFailure: (err) => parts.log.warn({ err }, 'could not store the log of calls; will retry'),
    })
  }

  readonly note = (noted: LoggedCall): void => {
    const { model, reason } = noted
    this.#waiting.push({
      ...{ ...noted, model: model.slice(0, maxText) },
      reason: reason?.slice(0, maxText) ?? null,
    })
    if (this.#waiting.length >= 2 * maxWaiting) this.#waiting = this.#waiting.slice(-maxWaiting)
    this.#writes.schedule()
  }

  /** As LaterWrites.flush. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  /** Newest first. @throws DatabaseError */
  async page({ limit, after }: z.output<typeof callsQuery>): Promise<CallsReply> {
    await this.flush()
    const [atMs = '', ...id] = after?.split('.') ?? []
    const last = after === undefined ? undefined : { atMs: Number(atMs), id: id.join('.') }
    const records = await this.#parts.table.page('call', limit + 1, last)
    const shown = records.slice(0, limit)
    const oldest = shown.at(-1)
    const hasMore = records.length > limit && oldest !== undefined
    return {
      calls: shown.map(({ json }) => JSON.parse(json) as LoggedCall),
      next: hasMore ? `${oldest.atMs}.${oldest.id}` : null,
    }
  }

  async #write(): Promise<void> {
    const calls = this.#waiting.slice(-maxWaiting)
    if (calls.length === 0) return
    this.#waiting = []
    try {
      const records = calls.map((one) => {
        return { id: one.id, atMs: Date.parse(one.at), json: JSON.stringify(one) }
      })
      await this.#parts.table.add('call', records)
    } catch (error) {
      this.#waiting = [...calls, ...this.#waiting]
      throw error
    }
  }
}

/** @param session admits requests with a valid session */
export function callLogRoutes(log: Pick<CallLog, 'page'>, session: Access): readonly Route[] {
  const list = route({
    method: 'GET',
    path: '/calls',
    operationId: 'getModelCalls',
    summary: 'Lists the latest calls of models, newest first',
    description:
      'The last 1,000 calls of all processes. Those of other processes appear within two seconds. Nothing of requests and answers is recorded.',
    query: callsQuery,
    reply: callsReply,
    answer: ({ query }) => log.page(query),
  })
  return routesBelow('/-/api', { tag: 'calls', access: session }, [list])
}
