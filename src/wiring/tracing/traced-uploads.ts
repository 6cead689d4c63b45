import type { Context } from '@opentelemetry/api'
import type { PartDraft, PartMemory, UploadDrive } from '../../drives/drive.ts'
import type { DriveSpans } from './drive-spans.ts'

/** Multipart uploads with a span for each call within a request. */
export class TracedUploads implements UploadDrive {
  readonly partMemory?: PartMemory
  readonly replaceLast?: NonNullable<UploadDrive['replaceLast']>
  readonly #uploads: UploadDrive
  readonly #spans: DriveSpans

  constructor(uploads: UploadDrive, spans: DriveSpans) {
    this.#uploads = uploads
    this.#spans = spans
    if (uploads.partMemory !== undefined) this.partMemory = uploads.partMemory
    const { replaceLast } = uploads
    if (replaceLast !== undefined) {
      this.replaceLast = (...args) =>
        this.#part('uploads.replaceLast', () => replaceLast.apply(uploads, args))
    }
  }

  get canTruncate(): boolean {
    return this.#uploads.canTruncate
  }

  begin(...given: Parameters<UploadDrive['begin']>): Promise<string> {
    return this.#spans.run('uploads.begin', () => this.#uploads.begin(...given))
  }

  append(...given: Parameters<UploadDrive['append']>): Promise<PartDraft> {
    return this.#part('uploads.append', () => this.#uploads.append(...given))
  }

  complete(...given: Parameters<UploadDrive['complete']>): ReturnType<UploadDrive['complete']> {
    return this.#spans.run('uploads.complete', () => this.#uploads.complete(...given))
  }

  isPublished(...given: Parameters<UploadDrive['isPublished']>): Promise<boolean> {
    return this.#spans.run('uploads.isPublished', () => this.#uploads.isPublished(...given))
  }

  abort(...given: Parameters<UploadDrive['abort']>): Promise<void> {
    return this.#spans.run('uploads.abort', () => this.#uploads.abort(...given))
  }

  sweep(...given: Parameters<UploadDrive['sweep']>): Promise<void> {
    return this.#uploads.sweep(...given)
  }

  async #part(name: string, begin: () => Promise<PartDraft>): Promise<PartDraft> {
    const { parent } = this.#spans
    return this.#traced(await this.#spans.run(name, begin), parent)
  }

  #traced(part: PartDraft, parent: Context | undefined): PartDraft {
    return {
      write: (chunk) => part.write(chunk),
      commit: () => this.#spans.run('uploads.commit', () => part.commit(), parent),
      discard: () => this.#spans.run('uploads.discard', () => part.discard(), parent),
    }
  }
}
