import type { UploadAbilities } from '../../drives/upload-abilities.ts'
import { S3Error } from '../errors.ts'
import { findCurrent } from './complete.ts'
import type { Lease } from './lease.ts'
import type { UploadContext } from './upload-context.ts'
import { noSuchUpload, slowDown, type UploadName } from './upload-records.ts'
import type { UploadRow } from './upload-table.ts'
import { type KnownRow, livenessCheckMs } from './upload-watch.ts'

/** How long a request waits for a missing part while nothing changes in the upload. */
const gapWaitMs = 2_000

/**
 * How long a part that is too far ahead waits to come within reach. If it were refused at once, SDKs with more
 * connections than `maxPartsAhead` would use up their attempts immediately.
 */
const farWaitMs = 2_000

/**
 * Maximum number of parts that wait in one process; each is a connection with an unread body. Parts that are too far
 * ahead may wait only while fewer than half of this number of parts wait, and fewer than a quarter for their own
 * upload.
 */
const maxWaitingParts = 1_024

/** How far ahead of the next part a part may be to be buffered. */
const maxPartsAhead = 64

export type PartTurn =
  /** It is the next part. */
  | 'append'
  /** It is the last committed part again, on a drive that can replace it. */
  | 'replace'
  /** The parts of this upload come in any order. */
  | 'place'
  /** It is committed: the only option is to compare the bytes. */
  | 'compare'
  /** Its turn may still come. */
  | 'wait'
  /** It is too far ahead to be buffered, unless other parts arrive soon. */
  | 'far'
  /** The upload accepts no more parts. */
  | 'gone'

export type Admission =
  /** The part may be written, under this lease. */
  | { readonly turn: 'append' | 'replace'; readonly lease: Lease }
  /** The part is already committed, or may be written without a lease. */
  | { readonly turn: 'compare' | 'place'; readonly upload: UploadRow }

/** Parts of this process that arrived before their turn, for monitoring. */
export interface PartStatistics {
  /** Parts that are waiting. */
  readonly held: number
  /** Parts that got SlowDown. */
  readonly refused: Readonly<Record<'out-of-turn' | 'too-many', number>>
}

type Waiting =
  | { readonly turn: 'wait'; readonly upload: UploadRow }
  | { readonly turn: 'far'; readonly upload: UploadRow }

/** A part that may have to wait. */
interface WaitingPart {
  /** Aborts when the wait is over before the part's turn. */
  readonly signal: AbortSignal
  /** Called when the part must wait and is not too far ahead; may be called repeatedly. */
  readonly onWait?: (upload: UploadRow) => void
}

/**
 * Where parts wait for their turn (docs/contract/object-storage.md, "Part order"). Parts come
 * strictly in order, but stock clients send several at once: one that arrives early waits while an
 * earlier one is being received. Its body is not read unless `onWait` reads it.
 */
export class PartQueue {
  readonly #context: UploadContext
  readonly #maxWaiting: number
  #waitingCount = 0
  /** The number of waiting parts, by upload. */
  readonly #waitingOf = new Map<string, number>()
  readonly #refused = { 'out-of-turn': 0, 'too-many': 0 }

  constructor(context: UploadContext, maxWaiting = maxWaitingParts) {
    this.#context = context
    this.#maxWaiting = maxWaiting
  }

  statistics(): PartStatistics {
    return { held: this.#waitingCount, refused: this.#refused }
  }

  /**
   * Resolves when it is the part's turn.
   *
   * @throws S3Error NoSuchUpload, or SlowDown when its turn does not come in time.
   */
  async admit(name: UploadName, number: number, waiting: WaitingPart): Promise<Admission> {
    const admission = await this.#tryAdmit(name, number)
    if (admission.turn !== 'wait' && admission.turn !== 'far') return admission
    return await this.#waitCounted(name, number, { ...waiting, ...admission })
  }

  async #waitCounted(
    name: UploadName,
    number: number,
    waiting: WaitingPart & Waiting,
  ): Promise<Admission> {
    const { turn, upload } = waiting
    const ofUpload = this.#waitingOf.get(upload.id) ?? 0
    const isFull = this.#waitingCount >= this.#maxWaiting / 2 || ofUpload >= this.#maxWaiting / 4
    if (turn === 'far' && isFull) throw this.#outOfTurn(number, upload)
    if (this.#waitingCount >= this.#maxWaiting) {
      this.#refused['too-many'] += 1
      throw slowDown('Too many parts are waiting. Send fewer at a time.')
    }
    this.#count(upload.id, 1)
    try {
      return await this.#wait(name, number, waiting)
    } finally {
      this.#count(upload.id, -1)
    }
  }

  #count(uploadId: string, change: 1 | -1): void {
    this.#waitingCount += change
    const ofUpload = (this.#waitingOf.get(uploadId) ?? 0) + change
    if (ofUpload === 0) this.#waitingOf.delete(uploadId)
    else this.#waitingOf.set(uploadId, ofUpload)
  }

  async #wait(
    name: UploadName,
    number: number,
    waiting: WaitingPart & Waiting,
  ): Promise<Admission> {
    const { watch, leases, now, partWaitMs } = this.#context
    const patience = new Patience(now, partWaitMs)
    let seen: Waiting = waiting
    for (;;) {
      const { turn, upload } = seen
      if (turn === 'wait') waiting.onWait?.(upload)
      const isBusy = upload.phase === 'completing' || !leases.isFree(upload)
      const untilMs = patience.until(seen, isBusy)
      const leftMs = untilMs - now()
      if (leftMs <= 0) throw this.#outOfTurn(number, upload)
      const known = await watch.wait(upload, {
        timeoutMs: Math.min(leftMs, livenessCheckMs),
        signal: waiting.signal,
        isDue: (row) => isDue(number, row),
      })
      if (waiting.signal.aborted) throw clientGone()
      const current = untilMs <= now() ? undefined : this.#usable(known)
      const admission = await this.#tryAdmit(name, number, current)
      if (admission.turn !== 'wait' && admission.turn !== 'far') return admission
      seen = admission
    }
  }

  #outOfTurn(number: number, upload: UploadRow): S3Error {
    this.#refused['out-of-turn'] += 1
    return outOfTurn(number, upload)
  }

  /** Returns the row if it need not be read again. The part is admitted only if the row has not changed since. */
  #usable(known: KnownRow | undefined): UploadRow | undefined {
    const upload = known?.upload
    if (upload?.phase !== 'open') return undefined
    // A lease that seems to have expired may have been renewed.
    const isOver = upload.leaseOwner !== '' && this.#context.leases.isFree(upload)
    return isOver ? undefined : upload
  }

  async #tryAdmit(
    name: UploadName,
    number: number,
    known?: UploadRow,
  ): Promise<Admission | Waiting> {
    const { drive, leases, watch } = this.#context
    const upload = known ?? (await findCurrent(this.#context, name))
    const turn = turnOf(number, upload, drive.uploads.abilities(upload.driveState))
    if (turn === 'gone') throw noSuchUpload(upload.id)
    if (turn !== 'append' && turn !== 'replace') return { turn, upload }
    const lease = await leases.take(upload)
    if (lease !== undefined) return { turn, lease }
    if (leases.isFree(upload)) watch.notify(upload.id)
    return { turn: 'wait', upload }
  }
}

/** How long a part waits (docs/contract/object-storage.md, "Part order"). */
class Patience {
  readonly #now: () => number
  readonly #longestMs: number
  readonly #farMs: number
  #gapMs = 0
  #partCount: number | undefined

  constructor(now: () => number, partWaitMs: number) {
    this.#now = now
    this.#longestMs = now() + partWaitMs
    this.#farMs = now() + farWaitMs
  }

  /** When the part is refused if nothing changes, milliseconds since the epoch. */
  until({ turn, upload }: Waiting, isBusy: boolean): number {
    if (isBusy || upload.partCount !== this.#partCount) this.#gapMs = this.#now() + gapWaitMs
    this.#partCount = upload.partCount
    return Math.min(this.#longestMs, turn === 'far' ? this.#farMs : this.#gapMs)
  }
}

/** Whether a waiting part must act on this state of the upload. */
function isDue(number: number, { phase, partCount, leaseOwner }: UploadRow): boolean {
  if (phase !== 'open') return true
  return number <= partCount || (number === partCount + 1 && leaseOwner === '')
}

/** Returns what can be done with a part of this number in the current state of the upload. */
export function turnOf(
  number: number,
  upload: Pick<UploadRow, 'phase' | 'partCount'>,
  { replaceLast, anyOrder }: Pick<UploadAbilities, 'replaceLast' | 'anyOrder'>,
): PartTurn {
  if (upload.phase === 'completing') return 'wait'
  if (upload.phase !== 'open') return 'gone'
  if (anyOrder !== undefined) return 'place'
  const ahead = number - upload.partCount - 1
  if (ahead > maxPartsAhead) return 'far'
  if (ahead > 0) return 'wait'
  if (ahead === 0) return 'append'
  return ahead === -1 && replaceLast ? 'replace' : 'compare'
}

function outOfTurn(number: number, upload: UploadRow): S3Error {
  const next = upload.partCount + 1
  return slowDown(
    number === next || number === next - 1
      ? `Another request is uploading part ${number}. Send the part again later.`
      : `Parts must arrive in order: expected part ${next}, got ${number}. Send it again later.`,
  )
}

function clientGone(): S3Error {
  return new S3Error(
    'IncompleteBody',
    'The client closed the connection while its part was waiting.',
  )
}
