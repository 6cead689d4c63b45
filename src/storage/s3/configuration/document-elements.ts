import type { XmlElement } from '../body/xml-body.ts'
import { S3Error } from '../errors.ts'

/**
 * Refuses elements that S3's schema does not have here.
 *
 * @throws S3Error MalformedXML
 */
export function refuseOtherElements(element: XmlElement, known: readonly string[]): void {
  const other = element.children.find(({ name }) => !known.includes(name))
  if (other !== undefined) throw malformed(`${element.name} has no element ${shown(other.name)}`)
}

/** The texts of all children of this name. */
export function childTexts(element: XmlElement, name: string): string[] {
  return element.children.filter((child) => child.name === name).map(({ text }) => text)
}

/**
 * The only child of this name.
 *
 * @throws S3Error MalformedXML if there are several.
 */
export function onlyChild(element: XmlElement, name: string): XmlElement | undefined {
  const found = element.children.filter((child) => child.name === name)
  if (found.length > 1) throw malformed(`${element.name} has more than one ${name}`)
  return found[0]
}

/**
 * A whole number as XML Schema writes it, also below zero.
 *
 * @throws S3Error MalformedXML
 */
export function wholeNumber(name: string, text: string): number {
  const trimmed = text.trim()
  const value = Number(trimmed)
  // S3's schema has 32 bits.
  if (/^[+-]?\d{1,10}$/.test(trimmed) && Math.abs(value) <= 0x7fffffff) return value
  throw malformed(`${name} must be a whole number`)
}

export function malformed(reason: string): S3Error {
  return new S3Error('MalformedXML', `The XML you provided cannot be used: ${reason}.`)
}

/** Text of the client's document in a message: never megabytes of it. */
export function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
