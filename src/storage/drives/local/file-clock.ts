import { fs } from './file-calls.ts'
import { codeOf } from './fs-error.ts'
import { markFlags } from './objects/paced-files.ts'

/** How long a measurement is used: the clocks of two machines do not drift apart in this time. */
const validMs = 1_000

/**
 * The clock from which the file system takes the times of folders. On a network file system it is the server's, which may
 * differ from this machine's. Where nothing may be written, this is `Date.now()`.
 */
export class FileClock {
  readonly #folder: (() => string) | undefined
  readonly #remake: (() => Promise<void>) | undefined
  /** `performance.now()` at the measurement. */
  #atMs: number | undefined
  #fileMs = Number.NEGATIVE_INFINITY
  #measuring: Promise<void> | undefined

  /**
   * @param folder the folder of this process, on the file system; undefined: nothing may be written
   * @param remake makes the folder again when it is missing
   */
  constructor(folder: (() => string) | undefined, remake?: () => Promise<void>) {
    this.#folder = folder
    this.#remake = remake
  }

  /** Milliseconds since the epoch, at most the time of a change that begins now. */
  async nowMs(): Promise<number> {
    if (this.#folder === undefined) return Date.now()
    if (this.#sinceMs > validMs) await this.#refresh(this.#folder)
    return this.#fileMs + this.#sinceMs
  }

  /** As `nowMs`, by the last measurement. */
  get recentMs(): number {
    if (this.#folder === undefined) return Date.now()
    if (this.#sinceMs > validMs) void this.#refresh(this.#folder)
    return this.#fileMs + this.#sinceMs
  }

  get #sinceMs(): number {
    return this.#atMs === undefined ? Number.MAX_VALUE : performance.now() - this.#atMs
  }

  /** Never rejects. Without the folder, the time is unknown, and nothing counts as old. */
  #refresh(folder: () => string): Promise<void> {
    this.#measuring ??= this.#measure(folder)
      .catch(() => Number.NEGATIVE_INFINITY)
      .then((fileMs) => {
        this.#fileMs = fileMs
        this.#atMs = performance.now()
        this.#measuring = undefined
      })
    return this.#measuring
  }

  async #measure(folder: () => string): Promise<number> {
    try {
      return await measure(folder())
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || this.#remake === undefined) throw error
      await this.#remake()
      return await measure(folder())
    }
  }
}

async function measure(folder: string): Promise<number> {
  const path = `${folder}/clock`
  await fs.promises.writeFile(path, '', { flag: markFlags })
  await fs.promises.unlink(path)
  return (await fs.promises.lstat(folder)).mtimeMs
}
