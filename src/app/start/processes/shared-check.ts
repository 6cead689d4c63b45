import type { OnTime, RevisionName } from '../../../platform/state/revision-table.ts'
import type { RevisionCheck } from '../../../platform/state/revision-watch.ts'

/** The difference is exact to this: the process was not interrupted while it read both clocks. */
const exactMs = 0.1

/** By how much `performance.now` is ahead of the monotonic clock that all processes of a machine share. */
const aheadMs = compareClocks()

/** A check of revisions, with the database's time if that is measured. Times are by `performance.now`. */
export interface TimedCheck extends RevisionCheck {
  readonly time: Parameters<OnTime> | undefined
}

/** A check as a message to another process of this machine, with its clock. */
export interface SharedCheck extends Omit<TimedCheck, 'numbers'> {
  readonly numbers: readonly (readonly [RevisionName, number])[]
}

/** For sending. */
export function sharedCheck(check: TimedCheck): SharedCheck {
  return { ...shifted(check, -aheadMs), numbers: [...check.numbers] }
}

/** As received. */
export function ownCheck(check: SharedCheck): TimedCheck {
  return { ...shifted(check, aheadMs), numbers: new Map(check.numbers) }
}

function shifted({ askedAtMs, isDoubtful, time }: Omit<TimedCheck, 'numbers'>, byMs: number) {
  const moved: TimedCheck['time'] = time && [time[0], time[1] + byMs, time[2] + byMs]
  return { askedAtMs: askedAtMs + byMs, isDoubtful, time: moved }
}

function compareClocks(): number {
  for (;;) {
    const before = performance.now()
    const sharedMs = Number(process.hrtime.bigint()) / 1e6
    if (performance.now() - before < exactMs) return before - sharedMs
  }
}
