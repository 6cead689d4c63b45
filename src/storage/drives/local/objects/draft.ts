import type { Attributes } from '../../attributes.ts'
import type { Draft, DraftOptions, ObjectMetadata, WriteConditions } from '../../drive.ts'
import { withDriveErrors } from '../fs-error.ts'
import type { ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import type { RelaxedWrite } from '../relaxed/relaxed-writes.ts'
import { publishSmall } from '../small-writes/small-publisher.ts'
import { OutputFile } from './output-file.ts'
import { publishFile } from './publisher.ts'

/** Objects up to this size are buffered in memory until they are complete. */
const smallBytes = 64 * 1024

/** A new object in a temporary file. A small object of known size is buffered first. Wrap it with `endingDraft`. */
export class LocalDraft implements Draft {
  readonly #drive: OpenDrive
  readonly #objectPath: ObjectPath
  readonly #signal: AbortSignal | undefined
  readonly #doing: string
  #small: Buffer | undefined
  #size = 0
  #output: OutputFile | undefined

  constructor(drive: OpenDrive, objectPath: ObjectPath, options: DraftOptions) {
    this.#drive = drive
    this.#objectPath = objectPath
    this.#signal = options.signal
    this.#doing = `write ${objectPath.bucket}/${objectPath.key}`
    const { size = Number.POSITIVE_INFINITY } = options
    if (size <= smallBytes) this.#small = Buffer.allocUnsafe(size)
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#signal?.throwIfAborted()
    const small = this.#small
    if (small !== undefined && this.#size + chunk.length <= small.length) {
      small.set(chunk, this.#size)
      this.#size += chunk.length
      return
    }
    await withDriveErrors(this.#doing, async () => {
      const output = await this.#spill()
      await output.write(chunk, this.#size)
    })
    this.#size += chunk.length
  }

  async publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata> {
    this.#signal?.throwIfAborted()
    const { relaxed } = this.#drive
    const accepts = () => relaxed?.accepts(this.#objectPath.bucket, this.#size, attributes) === true
    // Again after the wait for a round: versions may have been enabled meanwhile.
    const work = (write?: RelaxedWrite) =>
      this.#publish(attributes, conditions, accepts() ? write : undefined)
    return await withDriveErrors(this.#doing, () =>
      relaxed !== undefined && accepts() ? relaxed.run(this.#size, work) : work(),
    )
  }

  async #publish(
    attributes: Attributes,
    conditions: WriteConditions | undefined,
    relaxed: RelaxedWrite | undefined,
  ): Promise<ObjectMetadata> {
    const stepByStep = () => this.#publishFile(attributes, conditions, relaxed)
    const isConditional = conditions?.ifMatch ?? conditions?.ifNoneMatch
    if (this.#small === undefined || isConditional !== undefined) return await stepByStep()
    const bytes = this.#small.subarray(0, this.#size)
    const small = { objectPath: this.#objectPath, bytes, attributes, relaxed }
    return await publishSmall(this.#drive, small, stepByStep)
  }

  async #publishFile(
    attributes: Attributes,
    conditions: WriteConditions | undefined,
    relaxed: RelaxedWrite | undefined,
  ): Promise<ObjectMetadata> {
    const output = await this.#spill()
    const metadata = await publishFile(this.#drive, {
      objectPath: this.#objectPath,
      file: output,
      attributes,
      conditions,
      relaxed,
      // The wait for the lock may have been long.
      assertHeld: () => this.#signal?.throwIfAborted(),
    })
    await output.close()
    return metadata
  }

  async discard(): Promise<void> {
    this.#small = undefined
    await this.#output?.remove()
  }

  /** The temporary file, with all bytes written so far. */
  async #spill(): Promise<OutputFile> {
    if (this.#output !== undefined) return this.#output
    const output = await OutputFile.temporary(this.#drive.root)
    this.#output = output
    const small = this.#small
    this.#small = undefined
    if (small !== undefined) await output.write(small.subarray(0, this.#size), 0)
    return output
  }
}
