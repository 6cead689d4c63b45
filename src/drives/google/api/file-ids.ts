/** Ids asked for at once: one call for hundreds of new files. */
const batchSize = 500

/** Ids for new files, ahead of need, so that a new file is one call and a repeated one no twin. */
export class FileIds {
  readonly #generate: (count: number) => Promise<readonly string[]>
  #ids: string[] = []
  #filling: Promise<void> | undefined

  constructor(generate: (count: number) => Promise<readonly string[]>) {
    this.#generate = generate
  }

  async next(): Promise<string> {
    for (;;) {
      const id = this.#ids.pop()
      if (id !== undefined) return id
      // Whoever comes meanwhile waits for the same batch.
      this.#filling ??= this.#fill()
      await this.#filling
    }
  }

  async #fill(): Promise<void> {
    try {
      this.#ids = [...(await this.#generate(batchSize))]
    } finally {
      this.#filling = undefined
    }
  }
}
