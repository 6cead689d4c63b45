import type { HttpRequest } from '../../../platform/http/message.ts'
import { de } from './de.ts'
import { en, type VisitorTexts } from './en.ts'

const languages: Readonly<Record<string, VisitorTexts>> = { en, de }

/** The texts in the language that a visitor's browser prefers (RFC 9110 section 12.5.4), or in English. */
export function textsFor({ headers }: Pick<HttpRequest, 'headers'>): VisitorTexts {
  const ranges = (headers['accept-language'] ?? '').split(',', maxRanges).map(rangeOf)
  // The sort is stable: of equal weights, the first is preferred.
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)
  const found = wanted.find(({ tag }) => tag === '*' || Object.hasOwn(languages, tag))
  return (found && languages[found.tag]) ?? en
}

/** Browsers send a few. */
const maxRanges = 20

/** "de-AT;q=0.8" is "de" with the weight 0.8. */
function rangeOf(range: string): { readonly tag: string; readonly weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return {
    tag: tag.split('-', 1)[0] ?? '',
    weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0,
  }
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** A size with three significant digits. */
export function sizeText(bytes: number, { bytes: inBytes, locale }: VisitorTexts): string {
  const power = bytes === 0 ? 0 : Math.min(5, Math.floor(Math.log2(bytes) / 10))
  if (power === 0) return inBytes(bytes)
  const figure = Number((bytes / 1024 ** power).toPrecision(3))
  return `${figure.toLocaleString(locale, { useGrouping: false })} ${units[power]}`
}

export function momentText(atMs: number, { locale }: VisitorTexts): string {
  return `${formatOf(locale, 'long', 'short').format(atMs)} UTC`
}

export function dayText(atMs: number, { locale }: VisitorTexts): string {
  return formatOf(locale, 'medium').format(atMs)
}

/** Created on first use, because they would add milliseconds to every start. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(locale: string, dateStyle: 'long' | 'medium', timeStyle?: 'short') {
  const name = `${locale} ${dateStyle}`
  const known = formats.get(name)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(locale, {
    ...{ dateStyle, timeZone: 'UTC' },
    ...(timeStyle !== undefined && { timeStyle }),
  })
  formats.set(name, made)
  return made
}
