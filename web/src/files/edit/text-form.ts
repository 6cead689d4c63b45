import { isText, wideEncoding } from '../preview/text/text-decoding.ts'

/** Longer texts make a text field slow. */
export const maxEditBytes = 1024 * 1024

/** How a text is stored: what a text field does not keep. */
export interface TextForm {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly hasByteOrderMark: boolean
  readonly lineEnd: '\n' | '\r\n' | '\r'
  /** Whether it has several kinds of line ends; saving gives all of them the most frequent one. */
  readonly isMixed: boolean
}

export interface EditedText extends TextForm {
  /** With `\n` between lines, as a text field has it. */
  readonly text: string
}

/** Undefined if the bytes are not a text that could be written back as it was. */
export function readText(bytes: Uint8Array<ArrayBuffer>): EditedText | undefined {
  const encoding: TextForm['encoding'] = wideEncoding(bytes) ?? 'utf-8'
  let stored: string
  try {
    stored = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  const hasByteOrderMark = stored.startsWith('\ufeff')
  const text = hasByteOrderMark ? stored.slice(1) : stored
  if (!isText(text)) return undefined
  const counts = { '\r\n': 0, '\n': 0, '\r': 0 }
  for (const [end] of text.matchAll(/\r\n|\n|\r/g)) counts[end as TextForm['lineEnd']] += 1
  const ends = (['\n', '\r\n', '\r'] as const).toSorted((a, b) => counts[b] - counts[a])
  const isMixed = ends.filter((end) => counts[end] > 0).length > 1
  const form = { encoding, hasByteOrderMark, lineEnd: ends[0] ?? '\n', isMixed }
  return { ...form, text: text.replace(/\r\n|\r/g, '\n') }
}

/** The text in the form in which it was stored. */
export function bytesOf(text: string, form: TextForm): Uint8Array<ArrayBuffer> {
  const stored = (form.hasByteOrderMark ? '\ufeff' : '') + text.replaceAll('\n', form.lineEnd)
  if (form.encoding === 'utf-8') return new TextEncoder().encode(stored)
  const bytes = new Uint8Array(stored.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < stored.length; at += 1) {
    view.setUint16(at * 2, stored.charCodeAt(at), form.encoding === 'utf-16le')
  }
  return bytes
}
