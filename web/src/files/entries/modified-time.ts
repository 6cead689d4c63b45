import { locale } from '../../texts/language.ts'

const moments = new Intl.DateTimeFormat(locale, {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** A short time of constant width, for a column; '' if there is none. */
export function formatModified(atMs: number): string {
  return Number.isFinite(atMs) ? moments.format(atMs) : ''
}
