/** A refusal by a machine in front of Drive: no JSON. */
export class HtmlError extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the front end answers ${status}`)
    this.name = 'HtmlError'
    this.status = status
  }

  get page(): string {
    return `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${this.status} (Server Error)!!1</title>\n`
  }
}
