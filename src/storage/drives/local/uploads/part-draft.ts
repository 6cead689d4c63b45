import type { PartDraft } from '../../drive.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import { withDriveErrors } from '../fs-error.ts'
import type { OutputFile } from '../objects/output-file.ts'

interface PartPlan {
  readonly output: OutputFile
  readonly options: AppendOptions
  /** Returns the upload's new state; called when the part is durable. */
  commit(size: number): Promise<string>
  /** What a discarded part leaves behind: what was before its offset, also its bytes, or no file. */
  readonly remains: 'former bytes' | 'all bytes' | 'no file'
}

/**
 * A part that is written at its offset in the upload's file. It does not count until committed. Wrap
 * it with `endingPart`.
 */
export class LocalPartDraft implements PartDraft {
  readonly #plan: PartPlan
  #size = 0
  #writing: Promise<void> | undefined

  constructor(plan: PartPlan) {
    this.#plan = plan
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#plan.options.signal?.throwIfAborted()
    const { output, options } = this.#plan
    const writing = output.write(chunk, options.offset + this.#size)
    this.#writing = writing
    await withDriveErrors('write a part', () => writing)
    this.#size += chunk.length
  }

  async commit(): Promise<string> {
    this.#plan.options.signal?.throwIfAborted()
    return await withDriveErrors('write a part', async () => {
      await this.#plan.output.flush()
      const state = await this.#plan.commit(this.#size)
      await this.#plan.output.close()
      return state
    })
  }

  async discard(): Promise<void> {
    const { output, options, remains } = this.#plan
    // It must not go on in a file that is closed: another one may then have its descriptor.
    await this.#writing?.catch(() => undefined)
    if (remains === 'no file') return await output.remove()
    try {
      // They do not count towards a quota: many uploads whose parts break off would fill the disk.
      if (remains === 'former bytes') await output.truncate(options.offset)
      await output.close()
    } catch {
      // The bytes do not count anyway.
    }
  }
}
