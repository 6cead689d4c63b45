import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import type { PayloadDigest } from '../body/payload-digester.ts'
import type { PayloadSink } from '../body/payload-writer.ts'
import { PartBuffer, type PartRoom } from './part-buffer.ts'
import type { UploadedPart } from './upload-records.ts'

/** The source of a part's bytes: a request's body, or an object that is copied. */
export interface PartSource {
  /** Number of bytes, if known. */
  readonly size?: number | undefined
  /** Aborts when the part is no longer needed. */
  readonly signal: AbortSignal
  /**
   * Writes all bytes into the sink and returns their size and digests, with a checksum of this
   * algorithm if one is given. Called once, when it is the part's turn or there is memory to hold
   * it until then.
   */
  pour(sink: PayloadSink, algorithm: ChecksumAlgorithm | undefined): Promise<PayloadDigest>
}

/**
 * The states of a part that arrived before its turn. Top row: its request waits. Middle row: the
 * part's turn has come, and its own request writes it. Bottom row: its outcome is known without it.
 *
 *                 memory                    last byte
 *      unread ───────────────▶ buffering ───────────────▶ buffered
 *        │                      │     │                    │    │
 *        │ turn                 │     │ turn               │    │ turn
 *        ▼                      │     ▼     last byte      │    ▼
 *   fromSocket                  │  catchingUp ─────────────│─▶ fromMemory
 *                               │ error                    │ join
 *                               ▼                          ▼
 *                             failed                     joined
 *
 * `unread`, `fromSocket`: no byte has been read from the socket in advance.
 * `catchingUp`: the buffered bytes go to the drive first, then the rest from the socket.
 * `joined`: an earlier part's request writes it, together with its own part.
 * Every state leads to `left` when the part's request ends. Other events change nothing.
 */
export type EarlyState =
  | 'unread'
  | 'buffering'
  | 'buffered'
  | 'fromSocket'
  | 'catchingUp'
  | 'fromMemory'
  | 'failed'
  | 'joined'
  | 'left'

export type EarlyEvent = 'memory' | 'last byte' | 'turn' | 'error' | 'join' | 'leave'

const transitions: Record<EarlyState, Partial<Record<EarlyEvent, EarlyState>>> = {
  unread: { memory: 'buffering', turn: 'fromSocket', leave: 'left' },
  buffering: { 'last byte': 'buffered', turn: 'catchingUp', error: 'failed', leave: 'left' },
  buffered: { turn: 'fromMemory', join: 'joined', leave: 'left' },
  fromSocket: { leave: 'left' },
  catchingUp: { 'last byte': 'fromMemory', leave: 'left' },
  fromMemory: { leave: 'left' },
  failed: { leave: 'left' },
  joined: { leave: 'left' },
  left: {},
}

export function nextState(state: EarlyState, event: EarlyEvent): EarlyState {
  return transitions[state][event] ?? state
}

/** A part from its arrival until its request ends; see EarlyState. */
export class EarlyPart implements PartSource {
  readonly number: number
  /** Aborts when the wait is over: the client is gone, or the outcome is known. */
  readonly signal: AbortSignal
  readonly #source: PartSource
  readonly #decided = new AbortController()
  readonly #outcome = Promise.withResolvers<UploadedPart>()
  #state: EarlyState = 'unread'
  #buffered: { readonly buffer: PartBuffer; readonly digest: Promise<PayloadDigest> } | undefined

  constructor(number: number, source: PartSource) {
    this.number = number
    this.#source = source
    this.signal = AbortSignal.any([source.signal, this.#decided.signal])
    // Not every caller waits for the outcome.
    this.#outcome.promise.catch(() => undefined)
  }

  get size(): number | undefined {
    return this.#source.size
  }

  get state(): EarlyState {
    return this.#state
  }

  /** Whether an earlier part's request may write it too. */
  get mayJoin(): boolean {
    return this.#state === 'buffered' && !this.signal.aborted
  }

  /** Whether it waits without having been read. */
  get isUnread(): boolean {
    return this.#state === 'unread' && !this.signal.aborted
  }

  /** Whether `outcome` is decided, so that its request need not wait for the part's turn. */
  get isDecided(): boolean {
    return this.#decided.signal.aborted
  }

  get outcome(): Promise<UploadedPart> {
    return this.#outcome.promise
  }

  /** Reads the part if there is memory for it. Has no effect once it is being read. */
  read(room: PartRoom, algorithm: ChecksumAlgorithm | undefined): void {
    const { size } = this.#source
    if (!this.isUnread || size === undefined || !room.memory.take(size)) return
    this.#apply('memory')
    const buffer = new PartBuffer(room, size)
    const digest = this.#source.pour(buffer, algorithm)
    this.#buffered = { buffer, digest }
    digest.then(
      () => this.#apply('last byte'),
      (error: unknown) => {
        if (this.#apply('error') === 'failed') this.#decide(Promise.reject(error))
      },
    )
  }

  /** It is the part's turn: from now on its caller writes it and answers the request. */
  begin(): void {
    this.#apply('turn')
  }

  /** An earlier part's request writes it too. */
  join(outcome: Promise<UploadedPart>): void {
    if (this.#apply('join') === 'joined') this.#decide(outcome)
  }

  async pour(sink: PayloadSink, algorithm: ChecksumAlgorithm | undefined): Promise<PayloadDigest> {
    if (this.#buffered === undefined) return await this.#source.pour(sink, algorithm)
    const { buffer, digest } = this.#buffered
    await buffer.drain(sink)
    return await digest
  }

  /** Its request has ended: releases the memory. */
  leave(): void {
    this.#apply('leave')
    this.#buffered?.buffer.discard()
  }

  #apply(event: EarlyEvent): EarlyState {
    this.#state = nextState(this.#state, event)
    return this.#state
  }

  #decide(outcome: Promise<UploadedPart>): void {
    this.#outcome.resolve(outcome)
    this.#decided.abort()
  }
}
