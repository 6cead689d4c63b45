import { SettingMistake } from './setting.ts'

/** Parsers of values that carry no meaning of their own. */

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

/** Items between commas, without the white space around them; empty items and repeats do not count. */
export function listOf<Item>(parseItem: (text: string) => Item): (text: string) => readonly Item[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim())
    return Object.freeze([...new Set(items.filter((item) => item !== ''))].map(parseItem))
  }
}

/** A password, spaces within it included; at its ends they are copying errors. */
export function passphrase(text: string): string {
  if (text !== text.trim() || /\p{Cc}/u.test(text)) {
    throw new SettingMistake('no spaces at its ends, no control characters')
  }
  return text
}

/** Text without white space or control characters: in a key these are copying errors. */
export function solidText(text: string): string {
  if (/[\s\p{Cc}]/u.test(text)) throw new SettingMistake('no white space or control characters')
  return text
}

/** Text that a header field carries in every client: visible ASCII (RFC 9110 section 5.5). */
export function visibleAscii(text: string): string {
  if (!/^[!-~]*$/.test(text)) throw new SettingMistake('only visible ASCII characters')
  return text
}
