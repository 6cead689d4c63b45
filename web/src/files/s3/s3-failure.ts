import { shownMessage } from '../../api/shown-message.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'

/** The part of the DOM that reading S3's XML needs. */
export interface XmlElement {
  readonly localName: string
  readonly children: Iterable<XmlElement>
  readonly textContent: string | null
}

/** The texts of the children, by name. */
export function fieldsOf(element: XmlElement): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const child of element.children) fields.set(child.localName, child.textContent ?? '')
  return fields
}

/** An error response of S3. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure'
  readonly status: number
  /** The S3 error code, such as `NoSuchKey`; '' if there is none. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Reads an error response, with or without an XML document. */
export function readFailure(root: XmlElement | undefined, status: number): S3Failure {
  const fields = root?.localName === 'Error' ? fieldsOf(root) : new Map<string, string>()
  const message = fields.get('Message')
  const shown = message === undefined ? fileWorkTexts.status(status) : shownMessage(message)
  return new S3Failure(status, fields.get('Code') ?? '', shown)
}
