/** A finished call of a drive or of the database. One record serves all sinks. */
export interface CallRecord {
  /** The call's name in metrics. */
  readonly name: string | undefined
  readonly durationMs: number
  /** The reason why the call rejected. Undefined if it succeeded. */
  readonly error: unknown
}

/** Receives the record of each call with a name in metrics. */
export interface CallSink {
  onCall(call: CallRecord): void
}

/** A span of a trace that has begun. */
export interface BegunSpan<EndRecord> {
  /** Runs work within the span: spans that begin during the work are its children. */
  run<Result>(work: () => Result): Result
  end(record: EndRecord): void
}

/** Starts the spans of calls. */
export interface CallSpans {
  /** @returns undefined if there is no recording parent, as outside of a request */
  begin(name: string, given: readonly unknown[]): BegunSpan<CallRecord> | undefined
  /** Spans for calls of a returned object, which may happen later but have the current span as their parent. */
  ofResult(): CallSpans
}

/** The names of a call in metrics and in traces. Absent: the call is not observed there. */
interface CallRow {
  readonly name?: string
  readonly span?: string
  /** Whether the call reports work that has been done elsewhere: its first parameter is the duration. */
  readonly isTimed?: true
  /** The calls of the object that the method returns, or the promise of one. */
  readonly result?: Rows
  /** The calls of the member itself, which is an object. */
  readonly within?: Rows
}
type Rows = Readonly<Record<string, CallRow>>

/** How the calls of each member of an object are observed. A watched object has only these members. */
export type CallTable<Target> = Readonly<Record<keyof Target, CallRow>>

interface CallWatch {
  readonly sinks: readonly CallSink[]
  readonly spans: CallSpans | undefined
}

/** Wraps an object to observe its calls. Wrap it once, when it is opened. Methods run on the original object. */
export function watched<Target extends object>(
  target: Target,
  table: CallTable<Target>,
  watch: CallWatch,
): Target {
  const members = membersOf(table, watch)
  return members === undefined ? target : wrap(target, members, watch)
}

interface Member {
  readonly key: string
  readonly name: string | undefined
  readonly span: string | undefined
  readonly isTimed: boolean
  readonly result: readonly Member[] | undefined
  readonly within: readonly Member[] | undefined
}

/** The members whose calls are reported somewhere. Undefined if there are none, so that nothing is wrapped. */
function membersOf(rows: Rows, watch: CallWatch): readonly Member[] | undefined {
  const members = Object.entries(rows).map(([key, row]) => ({
    key,
    name: watch.sinks.length > 0 ? row.name : undefined,
    span: watch.spans && row.span,
    isTimed: row.isTimed === true,
    result: row.result && membersOf(row.result, watch),
    within: row.within && membersOf(row.within, watch),
  }))
  const isRead = ({ name, span, result, within }: Member) =>
    (name ?? span ?? result ?? within) !== undefined
  return members.some(isRead) ? members : undefined
}

type Method = (...given: unknown[]) => unknown

function wrap<Target extends object>(
  target: Target,
  members: readonly Member[],
  watch: CallWatch,
): Target {
  const wrapped: Record<string, unknown> = {}
  for (const member of members) {
    const { key, within } = member
    const value: unknown = Reflect.get(target, key)
    if (typeof value === 'function') wrapped[key] = watchedMethod(value.bind(target), member, watch)
    else if (within !== undefined && isObject(value)) wrapped[key] = wrap(value, within, watch)
    else {
      Object.defineProperty(wrapped, key, { enumerable: true, get: () => Reflect.get(target, key) })
    }
  }
  return wrapped as Target
}

function watchedMethod(method: Method, member: Member, watch: CallWatch): Method {
  const { name, span, result: ofResult } = member
  const isObserved = (name ?? span) !== undefined
  if (!isObserved && ofResult === undefined) return method
  return (...given) => {
    const within = ofResult && { ...watch, spans: watch.spans?.ofResult() }
    const result = isObserved
      ? observe(member, watch, given, () => method(...given))
      : method(...given)
    if (ofResult === undefined || within === undefined) return result
    const watchResult = (one: unknown) => (isObject(one) ? wrap(one, ofResult, within) : one)
    return result instanceof Promise ? result.then(watchResult) : watchResult(result)
  }
}

/** Runs a call and reports it when its promise settles, or when the iterable that it returned has been read. */
function observe(
  { name, span: spanName, isTimed }: Member,
  { sinks, spans }: CallWatch,
  given: readonly unknown[],
  work: () => unknown,
): unknown {
  const startedAt = performance.now()
  const span = spanName === undefined ? undefined : spans?.begin(spanName, given)
  const end = (error?: unknown) => {
    const durationMs = isTimed ? Number(given[0]) : performance.now() - startedAt
    const record = { name, durationMs, error }
    if (name !== undefined) for (const sink of sinks) sink.onCall(record)
    span?.end(record)
  }
  try {
    const result = span === undefined ? work() : span.run(work)
    if (result instanceof Promise) result.then(() => end(), end)
    else if (isAsyncIterable(result)) return readUntilEnd(result, end)
    else end()
    return result
  } catch (error) {
    end(error)
    throw error
  }
}

async function* readUntilEnd<Piece>(
  pieces: AsyncIterable<Piece>,
  end: (error?: unknown) => void,
): AsyncGenerator<Piece> {
  let failure: unknown
  try {
    yield* pieces
  } catch (error) {
    failure = error
    throw error
  } finally {
    end(failure)
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
