import mime from 'mime'
import type { Attributes } from '../../attributes.ts'
import type { ObjectName } from '../../drive.ts'
import { type GoogleFile, googleTypePrefix } from '../api/google-file.ts'
import { deepProperty, googlePathOf, nameOfDeepSegment, nameOfSegment } from '../google-names.ts'

const octets = 'application/octet-stream'

/** The type that Drive shows. Given one of Google's own types, Drive would convert the file. */
export function mimeTypeOf({ key }: ObjectName, attributes?: Attributes): string {
  const given = attributes?.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const isUsable = given !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(given)
  if (isUsable && given !== octets && !given.startsWith(googleTypePrefix)) return given
  return mime.getType(key) ?? octets
}

/** The file's name, and the properties that the name needs. */
export function nameOf({ key }: ObjectName) {
  const { segment, isDeep } = googlePathOf(key)
  if (!isDeep) return { name: nameOfSegment(segment), appProperties: {} }
  return { name: nameOfDeepSegment(segment), appProperties: { [deepProperty]: '1' } }
}

/** The change that moves a file from any folder to this one. */
export function parentsChange(file: GoogleFile, parent: string) {
  const removeParents = file.parents.filter((id) => id !== parent)
  return file.parents.includes(parent) ? {} : { addParents: [parent], removeParents }
}
