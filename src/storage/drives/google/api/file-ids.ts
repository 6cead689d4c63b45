/** Ids per call: one call for hundreds of new files. */
const batchSize = 500

/** Ids for new files, fetched in advance. With an id, a repeated call creates no duplicate. */
export class FileIds {
  readonly #generate: (count: number) => Promise<readonly string[]>
  readonly #ids: string[] = []
  #filling: Promise<void> | undefined

  constructor(generate: (count: number) => Promise<readonly string[]>) {
    this.#generate = generate
  }

  async next(): Promise<string> {
    for (;;) {
      const id = this.#ids.pop()
      if (id !== undefined) return id
      // Concurrent callers wait for the same batch.
      this.#filling ??= this.#fill()
      await this.#filling
    }
  }

  /** Takes back an id that was not used for a file and will not be. */
  giveBack(id: string): void {
    this.#ids.push(id)
  }

  async #fill(): Promise<void> {
    try {
      this.#ids.push(...(await this.#generate(batchSize)))
    } finally {
      this.#filling = undefined
    }
  }
}
