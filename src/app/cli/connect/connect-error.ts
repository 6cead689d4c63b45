/** Connecting failed. The message says what to do and contains no secrets. */
export class ConnectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectError'
  }
}
