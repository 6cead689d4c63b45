import type { Context } from '@opentelemetry/api'
import type { PartDraft, UploadAbilities, UploadDrive } from '../../drives/drive.ts'
import type { DriveSpans } from './drive-spans.ts'

/** Multipart uploads with a span for each call within a request. */
export class TracedUploads implements UploadDrive {
  readonly takeOver?: NonNullable<UploadDrive['takeOver']>
  readonly #uploads: UploadDrive
  readonly #spans: DriveSpans

  constructor(uploads: UploadDrive, spans: DriveSpans) {
    this.#uploads = uploads
    this.#spans = spans
    const { takeOver } = uploads
    if (takeOver !== undefined) {
      this.takeOver = (...given) =>
        spans.run('uploads.takeOver', () => takeOver.apply(uploads, given))
    }
  }

  abilities(...given: Parameters<UploadDrive['abilities']>): UploadAbilities {
    return this.#uploads.abilities(...given)
  }

  begin(...given: Parameters<UploadDrive['begin']>): Promise<string> {
    return this.#spans.run('uploads.begin', () => this.#uploads.begin(...given))
  }

  append(...given: Parameters<UploadDrive['append']>): Promise<PartDraft> {
    return this.#part('uploads.append', () => this.#uploads.append(...given))
  }

  replaceLast(...given: Parameters<UploadDrive['replaceLast']>): Promise<PartDraft> {
    return this.#part('uploads.replaceLast', () => this.#uploads.replaceLast(...given))
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
