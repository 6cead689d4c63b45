import { Store } from '../../ui/store.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import type { DropProgress, DroppedItem } from './dropped-items.ts'
import type { Preparation } from './prepare-uploads.ts'
import type { UploadOrder } from './upload-item.ts'

interface UploadIntakeParts {
  readonly prepare: (
    items: readonly DroppedItem[],
    folder: FolderAddress,
    signal: AbortSignal,
  ) => Promise<Preparation>
  readonly enqueue: (orders: readonly UploadOrder[]) => void
  /** Called with the keys that are too long. */
  readonly onTooLong: (keys: readonly string[]) => void
  /** Called with the reason why nothing was uploaded. */
  readonly onFailure: (error: unknown) => void
}

type ReadItems = (progress: DropProgress) => Promise<readonly DroppedItem[]>

/**
 * Adds dropped or picked items to the queue, one drop at a time, independent of navigation. Its state
 * is the number of files found so far while dropped folders are read, otherwise 0.
 */
export class UploadIntake extends Store<number> {
  readonly #parts: UploadIntakeParts
  #line: Promise<void> = Promise.resolve()
  #running: AbortController | undefined

  constructor(parts: UploadIntakeParts) {
    super(0)
    this.#parts = parts
  }

  take(folder: FolderAddress, read: ReadItems, enqueue = this.#parts.enqueue): void {
    this.#line = this.#line.then(() => this.#process(folder, read, enqueue))
  }

  /** Cancels the drop that is being read or prepared. */
  cancel(): void {
    this.#running?.abort()
  }

  async #process(
    folder: FolderAddress,
    read: ReadItems,
    enqueue: UploadIntakeParts['enqueue'],
  ): Promise<void> {
    const running = new AbortController()
    this.#running = running
    const { signal } = running
    try {
      const items = await read({ signal, onFound: (count) => this.publish(count) })
      this.publish(0)
      const { orders, tooLong } = await this.#parts.prepare(items, folder, signal)
      signal.throwIfAborted()
      if (tooLong.length > 0) this.#parts.onTooLong(tooLong)
      enqueue(orders)
    } catch (error) {
      if (!signal.aborted) this.#parts.onFailure(error)
    } finally {
      this.#running = undefined
      this.publish(0)
    }
  }
}
