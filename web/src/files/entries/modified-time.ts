import { locale } from '../../texts/language.ts'

const day = { day: '2-digit', month: 'short', year: 'numeric' } as const
const days = new Intl.DateTimeFormat(locale, day)
const moments = new Intl.DateTimeFormat(locale, { ...day, hour: '2-digit', minute: '2-digit' })

/** A short time of constant width, for a column; '' if there is none. */
export function formatModified(atMs: number): string {
  return Number.isFinite(atMs) ? moments.format(atMs) : ''
}

/** The same as its date and its time of day, which is left out where there is no room. */
export function modifiedParts(atMs: number): readonly [date: string, time: string] {
  const text = formatModified(atMs)
  const date = text === '' ? '' : days.format(atMs)
  // A language may write the time first.
  return text.startsWith(date) ? [date, text.slice(date.length)] : [text, '']
}
