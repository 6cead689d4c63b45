import { fieldsOf, type XmlElement } from './listing-xml.ts'

/** An answer of S3 that is no success. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure'
  readonly status: number
  /** S3's code, `NoSuchKey` for one; '' when the answer has none. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** What the XML of an error answer says; undefined: it is no such XML. */
export function readFailure(root: XmlElement | undefined, status: number): S3Failure {
  const fields = root?.localName === 'Error' ? fieldsOf(root) : new Map<string, string>()
  const message = fields.get('Message') ?? `The gateway returned status ${status}.`
  return new S3Failure(status, fields.get('Code') ?? '', message)
}
