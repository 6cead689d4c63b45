import type { Log } from '../../platform/process/log.ts'
/**
 * Loads the inputs of the list. An input that cannot be loaded counts as empty
 * (docs/contract/model-list.md, "Loading the inputs"). Logs one line when an input starts to fail
 * and one when it recovers, independent of the number of requests.
 */
export class TolerantLoader {
  readonly #log: Log
  readonly #failing = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** @param input the name for the log. */
  async load<Rows extends object>(
    input: string,
    read: () => Promise<Rows>,
    empty: Rows,
  ): Promise<Rows> {
    try {
      const rows = await read()
      const isUsable = typeof rows === 'object' && rows !== null
      if (!isUsable || Array.isArray(rows) !== Array.isArray(empty)) {
        throw new TypeError(`expected ${input}, got ${typeof rows}`)
      }
      if (this.#failing.delete(input)) {
        this.#log.info({ input }, 'an input of the model list can be loaded again')
      }
      return rows
    } catch (err) {
      if (!this.#failing.has(input)) {
        this.#failing.add(input)
        this.#log.warn(
          { input, err },
          'could not load an input of the model list; building the list without it',
        )
      }
      return empty
    }
  }
}
