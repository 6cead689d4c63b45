/** Connecting did not work. The message says what a person can do; nothing in it is secret. */
export class ConnectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectError'
  }
}
