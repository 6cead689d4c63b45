import { DriveError } from '../../drive.ts'
import type { DavContext } from '../dav-context.ts'
import { asked } from './attribute-store.ts'
import { leaseKeysOf } from './recovery-record.ts'

/** Leases that are read at first; more when none of these is left to be finished. */
const firstPage = 1_000
/** Beyond, what is left comes at the next start, or when it is asked for. */
const largestPage = 64_000
/** No lease ends later: those of a process that died a moment ago have not ended yet. */
const everMs = Number.MAX_SAFE_INTEGER

/** Finishes what dead processes have left notes of. False when some of it can't be finished now. */
export async function finishEnded({
  leases,
  leaseTable: table,
  rules,
  log,
}: DavContext): Promise<boolean> {
  const tried = new Set<string>()
  for (let limit = firstPage; limit <= largestPage; ) {
    const found = await asked(table.endedWithNote(everMs, limit))
    // One note is at all places of a lease.
    const notes = new Set(found.filter((lease) => !leases.isLive(lease)).map(({ note }) => note))
    const left = [...notes].filter((note) => leaseKeysOf(note, rules).length > 0)
    const untried = left.filter((note) => !tried.has(note))
    for (const note of untried) {
      tried.add(note)
      try {
        await leases.recoverEnded(leaseKeysOf(note, rules))
      } catch (error) {
        if (!(error instanceof DriveError)) throw error
        log.warn({ err: error }, 'could not recover an interrupted write; will retry')
      }
    }
    if (untried.length > 0) continue
    if (found.length < limit) return left.length === 0
    limit *= 2
  }
  return false
}
