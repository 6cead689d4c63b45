import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One TCP connection on which a test writes exactly the bytes it wants. */
export class RawConnection {
  readonly socket: Socket
  #received = ''
  #isClosed = false
  readonly #waiting = new Set<() => void>()

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#received += text
      this.#wake()
    })
    socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
    // A reset shows as a closed connection.
    socket.on('error', () => undefined)
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  /** Everything received so far, one character per byte. */
  get received(): string {
    return this.#received
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** Resolves with everything received once it contains `text`, or rejects after a deadline. */
  async until(text: string, deadlineMs = 10_000): Promise<string> {
    await this.#when(() => this.#received.includes(text), deadlineMs, JSON.stringify(text))
    return this.#received
  }

  /** Resolves with everything received once the other side has closed. */
  async closed(deadlineMs = 10_000): Promise<string> {
    await this.#when(() => this.#isClosed, deadlineMs, 'the end of the connection')
    return this.#received
  }

  destroy(): void {
    this.socket.destroy()
  }

  async #when(isReached: () => boolean, deadlineMs: number, what: string): Promise<void> {
    const deadline = Date.now() + deadlineMs
    while (!isReached()) {
      const remainingMs = deadline - Date.now()
      if (remainingMs <= 0 || (this.#isClosed && !isReached())) {
        throw new Error(`waited for ${what}, received ${JSON.stringify(this.#received)}`)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, remainingMs)
        const wake = () => {
          clearTimeout(timer)
          this.#waiting.delete(wake)
          resolve()
        }
        this.#waiting.add(wake)
      })
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
