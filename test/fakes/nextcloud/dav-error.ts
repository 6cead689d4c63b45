/** The exception names of sabre/dav, by status. */
const exceptions: Readonly<Record<number, string>> = {
  400: 'Sabre\\DAV\\Exception\\BadRequest',
  401: 'Sabre\\DAV\\Exception\\NotAuthenticated',
  403: 'Sabre\\DAV\\Exception\\Forbidden',
  404: 'Sabre\\DAV\\Exception\\NotFound',
  405: 'Sabre\\DAV\\Exception\\MethodNotAllowed',
  409: 'Sabre\\DAV\\Exception\\Conflict',
  412: 'Sabre\\DAV\\Exception\\PreconditionFailed',
  415: 'Sabre\\DAV\\Exception\\UnsupportedMediaType',
  416: 'Sabre\\DAV\\Exception\\RequestedRangeNotSatisfiable',
  423: 'OCA\\DAV\\Connector\\Sabre\\Exception\\FileLocked',
  429: 'OCA\\DAV\\Connector\\Sabre\\Exception\\TooManyRequests',
  501: 'Sabre\\DAV\\Exception\\NotImplemented',
  503: 'Sabre\\DAV\\Exception\\ServiceUnavailable',
  507: 'Sabre\\DAV\\Exception\\InsufficientStorage',
}

/** An error of the emulator, in the form of sabre/dav. */
export class DavError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'DavError'
    this.status = status
    this.headers = headers
  }

  /** The body of the answer. */
  get xml(): string {
    const exception = exceptions[this.status] ?? 'Exception'
    return `<?xml version="1.0" encoding="utf-8"?>
<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
  <s:exception>${exception}</s:exception>
  <s:message>${escapeXml(this.message)}</s:message>
</d:error>
`
  }
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
