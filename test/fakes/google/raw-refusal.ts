/** A refusal that is not Drive's JSON: by the upload servers, or by a machine in front of them. */
export class RawRefusal extends Error {
  readonly status: number
  readonly contentType: string
  readonly text: string

  constructor(status: number, body: { readonly contentType: string; readonly text: string }) {
    super(`answered ${status} without JSON`)
    this.name = 'RawRefusal'
    this.status = status
    this.contentType = body.contentType
    this.text = body.text
  }
}

/** Google's page for "that's an error". */
export function htmlRefusal(status: number): RawRefusal {
  const text = `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${status} (Server Error)!!1</title>\n`
  return new RawRefusal(status, { contentType: 'text/html; charset=UTF-8', text })
}

export function plainRefusal(status: number, text: string): RawRefusal {
  return new RawRefusal(status, { contentType: 'text/plain; charset=utf-8', text })
}
