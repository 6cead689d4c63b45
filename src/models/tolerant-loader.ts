/** Gets what goes wrong without anybody being told. Never a key. */
export interface LoadLog {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

/**
 * Loads the inputs of the list. An input that cannot be loaded counts as empty
 * (docs/contract/model-list.md, "Loading the inputs"). The log has one line when an input begins to
 * fail and one when it is back, however many lists are asked for.
 */
export class TolerantLoader {
  readonly #log: LoadLog
  readonly #failing = new Set<string>()

  constructor(log: LoadLog) {
    this.#log = log
  }

  /** @param input what the log calls it. */
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
