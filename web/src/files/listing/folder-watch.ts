import type { FolderRevisionReply } from '../../../../src/dashboard/management/management-schemas.ts'
import { revisionOf } from '../../../../src/platform/text/revision-sum.ts'
import type { FolderListing } from './folder-listing.ts'

/** How often an open folder is checked. */
export const watchEveryMs = 4_000

/** Reloading a folder takes at most a twentieth of the time. */
const delayOverDuration = 20
const maxDelayMs = 5 * 60_000

interface FolderWatchParts {
  readonly listing: Pick<FolderListing, 'snapshot' | 'refresh'>
  readonly ask: (signal: AbortSignal) => Promise<FolderRevisionReply>
  /** Monotonic, milliseconds; the clock of the listing. */
  readonly now: () => number
}

/**
 * Checks with a small request whether a listing is still current and reloads it only if it is not.
 */
export class FolderWatch {
  readonly #parts: FolderWatchParts
  #delayMs = watchEveryMs

  constructor(parts: FolderWatchParts) {
    this.#parts = parts
  }

  /** The delay until the next check. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** @throws ApiError, S3Failure; the listing is unchanged then. */
  async look(signal: AbortSignal): Promise<void> {
    const { listing, ask, now } = this.#parts
    const askedAtMs = now()
    const { revision, ageMs } = await ask(signal)
    const { entries, status, updatedAtMs } = listing.snapshot()
    const isNewer = askedAtMs - ageMs >= updatedAtMs
    // Ignores a response that is older than the last change of the list.
    if (status !== 'complete' || !isNewer) return
    const shown = revisionOf(entries)
    if (revision === shown) {
      this.#delayMs = watchEveryMs
      return
    }
    const beganAtMs = now()
    await listing.refresh(signal)
    const isSame = revisionOf(listing.snapshot().entries) === shown
    const least = isSame ? this.#delayMs * 2 : watchEveryMs
    const delayMs = Math.max(least, (now() - beganAtMs) * delayOverDuration)
    this.#delayMs = Math.min(delayMs, maxDelayMs)
  }
}
