import { Store } from '../../ui/store.ts'
import type { ClashAnswer } from '../change/clash-names.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import type { DroppedItem } from './dropped-items.ts'
import type { Preparation } from './prepare-uploads.ts'
import type { UploadOrder } from './upload-item.ts'

/** The stages between a drop and the queue. */
type IntakeStage =
  | { readonly type: 'reading'; readonly found: number }
  | { readonly type: 'checking'; readonly count: number }
  | {
      readonly type: 'asking'
      readonly clashes: readonly string[]
      /** undefined: cancels the upload. */
      readonly answer: (answer: ClashAnswer | undefined) => void
    }

interface IntakeSteps {
  readonly signal: AbortSignal
  readonly onFound: (count: number) => void
  readonly ask: (clashes: readonly string[]) => Promise<ClashAnswer | undefined>
}

interface UploadIntakeParts {
  readonly prepare: (
    items: readonly DroppedItem[],
    folder: FolderAddress,
    steps: Pick<IntakeSteps, 'signal' | 'ask'>,
  ) => Promise<Preparation>
  readonly enqueue: (orders: readonly UploadOrder[]) => void
  /** Keys that are too long, or why nothing was uploaded. */
  readonly onTooLong: (keys: readonly string[]) => void
  readonly onFailure: (error: unknown) => void
}

type ReadItems = (steps: Pick<IntakeSteps, 'signal' | 'onFound'>) => Promise<readonly DroppedItem[]>

/**
 * Adds dropped or picked items to the queue, one drop at a time, independent of navigation: reads
 * folders and asks about name conflicts.
 */
export class UploadIntake extends Store<IntakeStage | undefined> {
  readonly #parts: UploadIntakeParts
  #line: Promise<void> = Promise.resolve()
  #running: AbortController | undefined

  constructor(parts: UploadIntakeParts) {
    super(undefined)
    this.#parts = parts
  }

  take(folder: FolderAddress, read: ReadItems): void {
    this.#line = this.#line.then(() => this.#process(folder, read))
  }

  /** Cancels everything that is being read or asked about. */
  cancel(): void {
    this.#running?.abort()
  }

  async #process(folder: FolderAddress, read: ReadItems): Promise<void> {
    const running = new AbortController()
    this.#running = running
    const { signal } = running
    try {
      const onFound = (found: number) => this.publish({ type: 'reading', found })
      const items = await read({ signal, onFound })
      this.publish({ type: 'checking', count: items.length })
      const ask = (clashes: readonly string[]) => this.#ask(clashes, signal)
      const { orders, tooLong } = await this.#parts.prepare(items, folder, { signal, ask })
      signal.throwIfAborted()
      if (tooLong.length > 0) this.#parts.onTooLong(tooLong)
      this.#parts.enqueue(orders)
    } catch (error) {
      if (!signal.aborted) this.#parts.onFailure(error)
    } finally {
      this.#running = undefined
      this.publish(undefined)
    }
  }

  async #ask(clashes: readonly string[], signal: AbortSignal): Promise<ClashAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<ClashAnswer | undefined>()
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    this.publish({ type: 'asking', clashes, answer: resolve })
    const answer = await promise
    this.publish({ type: 'checking', count: clashes.length })
    return answer
  }
}
