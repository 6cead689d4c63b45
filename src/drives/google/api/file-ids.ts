/** Ids asked for at once: one call for hundreds of new files. */
const batchSize = 500

/** Ids for new files, in advance: a new file is one call, and a repeated call no duplicate. */
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

  /** Takes an id back that no file was made with, and none will be. */
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
