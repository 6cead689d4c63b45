import { SettingMistake } from '../../platform/process/setting-mistake.ts'

/** Parsers of plain values: numbers, choices, flags, lists, texts. */

export interface IntegerRange {
  readonly min: number
  readonly max: number
}

export function integerIn({ min, max }: IntegerRange): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new SettingMistake(`a whole number from ${min} to ${max}`)
    }
    return value
  }
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice === undefined) throw new SettingMistake(`one of ${choices.join(', ')}`)
    return choice
  }
}

export function booleanOf(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new SettingMistake('true or false')
  return text === 'true'
}

/** Comma-separated items. White space around items, empty items and repeated items are ignored. */
export function listOf<Item>(parseItem: (text: string) => Item): (text: string) => readonly Item[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim())
    return Object.freeze([...new Set(items.filter((item) => item !== ''))].map(parseItem))
  }
}

/** A password. It may contain spaces, but leading and trailing ones are copying errors. */
export function passphrase(text: string): string {
  if (text !== text.trim() || /\p{Cc}/u.test(text)) {
    throw new SettingMistake('no leading or trailing spaces and no control characters')
  }
  return text
}

/** Text without white space and control characters, which are copying errors in a key. */
export function solidText(text: string): string {
  if (/[\s\p{Cc}]/u.test(text)) throw new SettingMistake('no white space or control characters')
  return text
}

/** Text that every client can send in a header field: visible ASCII (RFC 9110 section 5.5). */
export function visibleAscii(text: string): string {
  if (!/^[!-~]*$/.test(text)) throw new SettingMistake('only visible ASCII characters')
  return text
}
