import { frameTexts } from '../../texts/frame.ts'

/**
 * Names come from untrusted sources. Hidden characters are made visible: controls, direction marks
 * that make `gpj.exe` read as `exe.jpg`, zero-width characters, leading and trailing spaces.
 */
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|^ +| +$|[\ud800-\udfff]/gu

/** Contexts where a joiner is legitimate: within an emoji, between Arabic letters. */
const emojiBefore = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u
const emojiAfter = /^\p{Extended_Pictographic}/u
const arabicBefore = /\p{Script=Arabic}$/u
const arabicAfter = /^\p{Script=Arabic}/u

interface NamePiece {
  readonly text: string
  /** Whether the text represents an invisible character. */
  readonly isMark: boolean
}

/** A name split into pieces for display. */
export function namePieces(name: string): readonly NamePiece[] {
  if (name === '') return [{ text: frameTexts.noName, isMark: true }]
  const pieces: NamePiece[] = []
  let end = 0
  for (const { 0: found, index } of name.matchAll(hidden)) {
    if (isJoiner(name, found, index)) continue
    if (index > end) pieces.push({ text: name.slice(end, index), isMark: false })
    pieces.push({ text: markOf(found), isMark: true })
    end = index + found.length
  }
  if (end < name.length) pieces.push({ text: name.slice(end), isMark: false })
  return pieces
}

/** The same as plain text: for labels, titles and messages. */
export function visibleName(name: string): string {
  return namePieces(name)
    .map(({ text }) => text)
    .join('')
}

function isJoiner(name: string, found: string, index: number): boolean {
  const before = name.slice(0, index)
  const after = name.slice(index + found.length)
  if (found === '\u200d') return emojiBefore.test(before) && emojiAfter.test(after)
  if (found === '\u200c') return arabicBefore.test(before) && arabicAfter.test(after)
  return false
}

function markOf(found: string): string {
  if (found.startsWith(' ')) return '·'.repeat(found.length)
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `[U+${code}]`
}
