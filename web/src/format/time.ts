import { frameTexts } from '../texts/frame.ts'
import { locale } from '../texts/language.ts'

const steps = [
  { unit: 'year', seconds: 31_556_952 },
  { unit: 'month', seconds: 2_629_746 },
  { unit: 'week', seconds: 604_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })

/** A relative time: "3 minutes ago", "in 2 hours", "just now". */
export function formatAge(atMs: number, nowMs: number): string {
  const seconds = (atMs - nowMs) / 1_000
  const step = steps.find((candidate) => Math.abs(seconds) >= candidate.seconds)
  if (step === undefined) return frameTexts.justNow
  const count = seconds / step.seconds
  // A period of 7 days that has just begun is not shown as 6 days.
  return relative.format(Math.trunc(count > 0 ? count + 0.05 : count), step.unit)
}

/** A duration in its two largest units: "3 days 4 hours", "12 seconds". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const units = [
    ['day', Math.floor(whole / 86_400)],
    ['hour', Math.floor(whole / 3_600) % 24],
    ['minute', Math.floor(whole / 60) % 60],
    ['second', whole % 60],
  ] as const
  const first = units.findIndex(([, count]) => count > 0)
  if (first === -1) return inUnit(0, 'second')
  return units
    .slice(first, first + 2)
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => inUnit(count, unit))
    .join(' ')
}

/** "1 hour", "3 Stunden". */
function inUnit(count: number, unit: string): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** The remaining time of a wait, rounded up: "14:05". */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

/** Date and time in the time zone of the browser. */
export function formatMoment(atMs: number): string {
  return moments.format(atMs)
}

const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** A day that begins at midnight UTC. */
export function formatDay(atMs: number): string {
  return days.format(atMs)
}

const hours = new Intl.DateTimeFormat(locale, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
})

/** Date and time without the year and seconds, in the time zone of the browser. */
export function formatHour(atMs: number): string {
  return hours.format(atMs)
}

const figures = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })

/** "340 ms", "2.1 s". */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  return `${figures.format(milliseconds / 1_000)} s`
}
