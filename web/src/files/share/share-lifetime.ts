/** docs/contract/object-storage.md, "Limits": X-Amz-Expires is 1 to 604800 seconds. */
const maxShareSeconds = 7 * 24 * 60 * 60

/** In seconds. */
export const shareLifetimes = [60 * 60, 24 * 60 * 60, maxShareSeconds] as const

export type LifetimeUnit = 'minutes' | 'hours' | 'days'

const unitSeconds: Readonly<Record<LifetimeUnit, number>> = {
  minutes: 60,
  hours: 60 * 60,
  days: 24 * 60 * 60,
}

/** Undefined if not between 1 second and 7 days. */
export function customLifetime(count: number, unit: LifetimeUnit): number | undefined {
  const seconds = Math.round(count * unitSeconds[unit])
  return seconds >= 1 && seconds <= maxShareSeconds ? seconds : undefined
}
