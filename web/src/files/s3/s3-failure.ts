import { fieldsOf, type XmlElement } from './listing-xml.ts'

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
  const message = fields.get('Message') ?? `The gateway returned status ${status}.`
  return new S3Failure(status, fields.get('Code') ?? '', message)
}
