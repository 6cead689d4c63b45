import type { Drive } from '../drives/drive.ts'
import type { Run } from './job-runner.ts'
import { walk } from './walk.ts'

/** What a count has found so far. */
export interface Tally {
  objects: number
  bytes: number
  /** Of the object that changed last, milliseconds since the epoch; 0 when there is none. */
  lastModifiedMs: number
}

/** The last complete count. */
export interface CountFigures extends Readonly<Tally> {
  /** The start of the count, milliseconds since the epoch; 0 before the first one. */
  readonly countedAtMs: number
  /** How long it took. */
  readonly tookMs: number
}

/** Before the first count. */
export const noFigures: CountFigures = {
  ...{ objects: 0, bytes: 0, lastModifiedMs: 0, countedAtMs: 0, tookMs: 0 },
}

/** Adds every object below a prefix to the tally, with pauses. @throws as `walk` */
export async function tallyBelow(
  place: { readonly drive: Pick<Drive, 'list'>; readonly bucket: string; readonly prefix: string },
  run: Run,
  tally: Tally,
): Promise<void> {
  const assertMayGoOn = () => run.assertMayGoOn()
  const listing = { ...place, signal: run.signal, hasPauses: true, assertMayGoOn }
  for await (const entries of walk(listing)) {
    for (const entry of entries) {
      if (entry.kind !== 'object') continue
      tally.objects += 1
      // Sparse files may add up to more than a whole number can be.
      tally.bytes = Math.min(tally.bytes + entry.size, Number.MAX_SAFE_INTEGER)
      tally.lastModifiedMs = Math.max(tally.lastModifiedMs, Math.floor(entry.modifiedAtMs))
    }
  }
}
