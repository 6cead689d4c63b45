import type { HeicItem } from './heic-items.ts'

/** A HEIC file with one item, whose bytes these are: the thumbnail of a large file, which is read alone. */
export function heicFile(
  { type, properties }: HeicItem,
  coded: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const links = properties.map(({ isEssential }, index) => (isEssential ? 0x80 : 0) + index + 1)
  const head = box('ftyp', text('heic'), number(4, 0), text('mif1heic'))
  const metaOf = (at: number) =>
    box(
      'meta',
      number(4, 0),
      box('hdlr', number(8, 0), text('pict'), number(13, 0)),
      box('pitm', number(4, 0), number(2, 1)),
      box('iinf', number(4, 0), number(2, 1), itemEntry(type)),
      box(
        'iprp',
        box('ipco', ...properties.map(({ bytes }) => bytes)),
        box('ipma', number(4, 0), number(4, 1), number(2, 1), number(1, links.length), links),
      ),
      // Numbers of four bytes, no base, and one item with one part.
      box('iloc', number(4, 0), [0x44, 0], number(2, 1), number(2, 1), number(2, 0), [
        ...number(2, 1),
        ...number(4, at),
        ...number(4, coded.length),
      ]),
    )
  const at = head.length + metaOf(0).length + 8
  return joined([head, metaOf(at), box('mdat', coded)])
}

function itemEntry(type: string): Uint8Array<ArrayBuffer> {
  return box('infe', number(1, 2), number(3, 0), number(2, 1), number(2, 0), text(type), [0])
}

type Bytes = Uint8Array | readonly number[]

function box(type: string, ...content: readonly Bytes[]): Uint8Array<ArrayBuffer> {
  const size = content.reduce((sum, { length }) => sum + length, 8)
  return joined([number(4, size), text(type), ...content])
}

function joined(parts: readonly Bytes[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function number(width: number, value: number): readonly number[] {
  return Array.from({ length: width }, (_, index) => (value / 256 ** (width - 1 - index)) & 255)
}

function text(value: string): readonly number[] {
  return Array.from(value, (letter) => letter.charCodeAt(0))
}
