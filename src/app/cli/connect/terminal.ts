import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { ConnectError } from '../command.ts'

/** The input has ended: there will be no further answers. */
export class NobodyThere extends ConnectError {}

/** The user at the terminal. */
export interface Terminal {
  say(text: string): void
  /**
   * Resolves with the next line, without leading and trailing white space.
   *
   * @throws NobodyThere when the input has ended; the signal's reason.
   */
  ask(question: string, signal?: AbortSignal): Promise<string>
  close(): void
}

export function openTerminal(input: Readable, output: Writable): Terminal {
  const lines = createInterface({ input, terminal: false })
  const waiting = new LineQueue()
  lines.on('line', (line) => waiting.add(line.trim()))
  lines.once('close', () => waiting.end())
  return {
    say: (text) => void output.write(`${text}\n`),
    async ask(question, signal) {
      output.write(question)
      const line = await waiting.next(signal)
      if (line !== undefined) return line
      throw new NobodyThere(`The input ended before an answer was given: ${question}`.trim())
    },
    close: () => lines.close(),
  }
}

/** Lines may arrive before they are requested: pasted, or from a pipe. */
class LineQueue {
  readonly #lines: string[] = []
  #isOver = false
  #wake: () => void = () => undefined

  add(line: string): void {
    this.#lines.push(line)
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  /** Undefined at the end of the input. Allows one call at a time. */
  async next(signal: AbortSignal | undefined): Promise<string | undefined> {
    for (;;) {
      signal?.throwIfAborted()
      const line = this.#lines.shift()
      if (line !== undefined || this.#isOver) return line
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      signal?.addEventListener('abort', this.#wake, { once: true })
      await promise
      signal?.removeEventListener('abort', this.#wake)
    }
  }
}
