import { shownMessage } from '../../api/shown-message.ts'
import { fieldsOf, type XmlElement } from './s3-failure.ts'

export interface DoomedObject {
  readonly key: string
  /** Deletes the object only if it has this ETag; omit to delete it in any case. */
  readonly etag?: string
  /** Deletes this version permanently; omit for the current one. */
  readonly versionId?: string
}

/** A version of an object, or a delete marker. */
export interface VersionName {
  readonly key: string
  readonly versionId: string
}

/** The body of DeleteObjects; the response lists only failures. */
export function deleteBody(objects: readonly DoomedObject[]): string {
  const elements = objects.map(({ key, etag, versionId }) => {
    const fields = [
      ['Key', key],
      ['VersionId', versionId],
      ['ETag', etag],
    ] as const
    const given = fields.map(([name, value]) =>
      value === undefined ? '' : `<${name}>${escapeXml(value)}</${name}>`,
    )
    return `<Object>${given.join('')}</Object>`
  })
  return `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${elements.join('')}</Delete>`
}

export interface DeleteFailure {
  readonly key: string
  readonly code: string
  readonly message: string
}

/** The failures in a DeleteResult. */
export function readDeleteFailures(root: XmlElement): readonly DeleteFailure[] {
  return [...root.children]
    .filter(({ localName }) => localName === 'Error')
    .map((element) => {
      const fields = fieldsOf(element)
      return {
        key: fields.get('Key') ?? '',
        code: fields.get('Code') ?? '',
        message: shownMessage(fields.get('Message') ?? ''),
      }
    })
}

/** XML 1.0 cannot represent most control characters: delete such a key by its path. */
export function canStandInXml(key: string): boolean {
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(key)
}

export function escapeXml(text: string): string {
  // A parser reads a bare carriage return as a line feed (XML 1.0 section 2.11).
  return text.replace(/[&<>"\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`)
}
