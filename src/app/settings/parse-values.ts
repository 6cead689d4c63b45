import { resolve } from 'node:path'
import { readBoundedFile } from '../../platform/process/bounded-file.ts'
import { FileMistake, pathBehind, SettingMistake } from '../../platform/process/setting-mistake.ts'
import type { DatabaseLocation } from '../../platform/state/open-database.ts'

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

/** Parsers of values that name a location: database, files. That of drives is in drive-kinds.ts. */

export function databaseLocation(text: string): DatabaseLocation {
  if (/^postgres(ql)?:/.test(text)) {
    if (!/^[a-z]+:\/\/[^/]/.test(text) || !URL.canParse(text)) {
      throw new SettingMistake('postgres://user:password@host/database')
    }
    return { kind: 'postgres', url: text }
  }
  if (!text.startsWith('sqlite:')) throw new SettingMistake('sqlite:PATH or postgres://…')
  return { kind: 'sqlite', path: pathBehind('sqlite:', text) }
}

export function keyValueStore(text: string): string {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) {
    throw new SettingMistake('redis://host:port or rediss://host:port')
  }
  return withEncodedUser(text)
}

/** The address, whose user and password are decoded before they are sent. */
export function withEncodedUser(address: string): string {
  const { username, password } = new URL(address)
  try {
    decodeURIComponent(username + password)
  } catch {
    throw new SettingMistake('percent-encoding in user and password: % is %25')
  }
  return address
}

/** The absolute path of a folder or of a file to write, which may not exist yet. */
export function localPath(text: string): string {
  return resolve(text)
}

/** The path of a file. The feature that reads it checks its contents and names the line. */
export function readableFile(text: string): string {
  const path = resolve(text)
  try {
    readBoundedFile(path)
  } catch (cause) {
    throw new FileMistake('the path of a readable file', cause)
  }
  return path
}

/** PEM text, or the contents of the file at that path. */
export function pemText(text: string): string {
  const pem = text.includes('-----BEGIN ') ? text : readPem(text)
  if (!pem.includes('-----BEGIN ')) throw new SettingMistake('PEM text or the path of a PEM file')
  return pem
}

function readPem(path: string): string {
  try {
    return readBoundedFile(path).toString()
  } catch (cause) {
    throw new FileMistake('PEM text or the path of a readable PEM file', cause)
  }
}
