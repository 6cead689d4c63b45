import { frameTexts } from '../texts/frame.ts'
import { locale } from '../texts/language.ts'

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** Numbers with 0 to 2 decimals, by their number of decimals. */
const decimals = [0, 1, 2].map(
  (digits) =>
    new Intl.NumberFormat(locale, {
      ...{ minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false },
    }),
)

/** A human-readable size: three significant digits and a binary unit. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  const digits = unit === 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0
  const text = decimals[digits]?.format(value) ?? ''
  return `${text} ${unit === 0 ? frameTexts.byteUnit(value) : units[unit]}`
}

/** The exact size, for a tooltip beside `formatBytes`. */
export function formatExactBytes(bytes: number): string {
  return `${formatCount(bytes)} ${frameTexts.byteUnit(bytes)}`
}

const counts = new Intl.NumberFormat(locale)

export function formatCount(count: number): string {
  return counts.format(count)
}

/** "1 alias", "1,204 aliases". */
export function formatAmount(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
