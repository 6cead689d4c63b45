import type { Retention } from '../drives/attributes.ts'

const dayMs = 24 * 60 * 60 * 1000

/** How many days each unit has (API reference, PutObjectRetention: S3 counts a year as 365 days). */
export const daysOfUnit = { Days: 1, Years: 365 } as const

/** The retention of versions that are written without one. */
export interface DefaultRetention extends Pick<Retention, 'mode'> {
  readonly unit: keyof typeof daysOfUnit
  /** At least 1. */
  readonly count: number
}

/** The retention of a version that is written at this time. */
export function retentionFrom({ mode, unit, count }: DefaultRetention, startMs: number): Retention {
  return { mode, untilMs: startMs + count * daysOfUnit[unit] * dayMs }
}
