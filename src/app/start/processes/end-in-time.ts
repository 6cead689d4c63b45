import { withinTime } from '../../../platform/process/time-limit.ts'

/** A database that does not answer holds up each step for seconds. Nothing depends on them: a process may be killed. */
const endLimitMs = 5_000

/** Waits for the end of a service, not for ever. Resolves with why it failed. */
export async function endInTime(end: Promise<void>): Promise<unknown> {
  return await withinTime(end, endLimitMs).catch((error: unknown) => error)
}
