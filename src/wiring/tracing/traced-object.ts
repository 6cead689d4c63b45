import type { Context } from '@opentelemetry/api'
import type { Attributes } from '../../drives/attributes.ts'
import type { OpenObject } from '../../drives/drive.ts'
import type { DriveSpans } from './drive-spans.ts'

/**
 * An open object with a span for each read of its bytes. They are read while the reply is sent, outside
 * of the handler, so the parent is given. The time of a read includes that of its receiver.
 */
export class TracedObject implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  readonly readNow?: NonNullable<OpenObject['readNow']>
  readonly lend?: NonNullable<OpenObject['lend']>
  readonly #object: OpenObject
  readonly #spans: DriveSpans
  readonly #parent: Context

  constructor(object: OpenObject, spans: DriveSpans, parent: Context) {
    this.size = object.size
    this.modifiedAtMs = object.modifiedAtMs
    this.attributes = object.attributes
    this.#object = object
    this.#spans = spans
    this.#parent = parent
    const { readNow, lend } = object
    if (readNow !== undefined) this.readNow = readNow.bind(object)
    if (lend !== undefined) {
      this.lend = (...args) => spans.run('read', () => lend.apply(object, args), parent)
    }
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    const child = this.#spans.start('read', this.#parent)
    try {
      yield* this.#object.read(start, end)
    } catch (error) {
      child?.fail(error)
      throw error
    } finally {
      child?.span.end()
    }
  }

  close(): Promise<void> {
    return this.#object.close()
  }
}
