/** Bytes of UTF-8: every file system takes them, with a number behind them. */
const maxBytes = 200
/** Invisible characters, and what some system does not allow in a name. */
const unsafe = /[\p{Cc}\p{Cf}\u2028\u2029<>:"|?*]/gu
/** Names of devices on Windows. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * The name under which a file of a visitor is kept: what follows the last slash, without characters that hide
 * something or that some system does not allow, and not hidden itself.
 */
export function safeName(given: string): string {
  const base = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1)
  const plain = base.toWellFormed().normalize('NFC').replace(unsafe, '_')
  const name = withoutEnds(plain) || 'file'
  return shortened(device.test(name) ? `_${name}` : name)
}

/** `photo (2).jpg`; the name itself for 1. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name
  const [stem, ending] = splitEnding(name)
  return `${stem} (${number})${ending}`
}

/** The ending of a name in lower case, without its dot. */
export function endingOf(name: string): string {
  return splitEnding(name)[1].slice(1).toLowerCase()
}

/** Without dots and spaces at its ends. */
function withoutEnds(text: string): string {
  const isEnd = (character: string | undefined) => character === '.' || character?.trim() === ''
  let [start, end] = [0, text.length]
  while (start < end && isEnd(text[start])) start += 1
  while (end > start && isEnd(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function shortened(name: string): string {
  const [stem, ending] = splitEnding(name)
  const kept = Buffer.byteLength(ending) <= maxBytes / 4 ? ending : ''
  const characters = [...(kept === '' ? name : stem)].slice(0, maxBytes)
  while (Buffer.byteLength(characters.join('') + kept) > maxBytes) characters.pop()
  return characters.join('') + kept
}

function splitEnding(name: string): readonly [stem: string, ending: string] {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
}
