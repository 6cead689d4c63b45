import type { Difference } from '../verify/object-digests.ts'
import type { VerifiedObject } from '../verify/verify-bucket.ts'
import type { Verdict } from '../verify/verify-object.ts'

/**
 * The destinations of a report: standard output and standard error, or their substitutes in a test.
 */
export interface ReportOutput {
  /** Findings and the summary. */
  write(text: string): void
  /** Shows progress; absent if there is no terminal. */
  showProgress?(text: string): void
}

export interface ReportOptions {
  readonly bucket: string
  /** Whether to write one JSON document per line instead of text. */
  readonly isJson: boolean
  readonly output: ReportOutput
}

const progressEveryMs = 500

/** Counts objects and bytes, and reports each finding at once. */
export class VerifyReport {
  readonly #options: ReportOptions
  readonly #counts = { verified: 0, unverifiable: 0, mismatch: 0, gone: 0, unreadable: 0 }
  #bytes = 0
  #shownAt = Number.NEGATIVE_INFINITY

  constructor(options: ReportOptions) {
    this.#options = options
  }

  /** Counts one object. */
  add(object: VerifiedObject, verdict: Verdict): void {
    this.#counts[verdict.kind] += 1
    if (verdict.kind === 'mismatch') {
      for (const difference of verdict.differences) this.#tellMismatch(object, difference)
    }
    if (verdict.kind === 'unreadable') this.#tellUnreadable(object, verdict.reason)
  }

  /** Counts bytes as they are read. */
  addBytes(bytes: number): void {
    this.#bytes += bytes
    this.#showProgress()
  }

  /** Reports that the run stopped early: some objects may not have been read. */
  addFailure(reason: string): void {
    this.#counts.unreadable += 1
    const { bucket } = this.#options
    this.#tell(
      { kind: 'unreadable', bucket, reason },
      `${bucket}: the run stopped: ${reason} Objects not read yet are not verified.`,
    )
  }

  /** Writes the summary. */
  end(): void {
    const { bucket, isJson } = this.#options
    const { verified, unverifiable, mismatch, unreadable } = this.#counts
    const fields = { kind: 'summary', bucket, bytes: this.#bytes, ...this.#counts }
    const parts = [
      `${counted(verified)} verified`,
      `${counted(unverifiable)} not verifiable`,
      `${counted(mismatch)} different`,
      `${counted(unreadable)} not readable`,
    ]
    this.#options.output.showProgress?.('')
    this.#options.output.write(
      isJson ? `${JSON.stringify(fields)}\n` : `${bucket}: ${parts.join(', ')} (${this.#size})\n`,
    )
  }

  /** 0: every verifiable object matches. 1: an object differs. 2: something could not be read. */
  get exitStatus(): 0 | 1 | 2 {
    if (this.#counts.mismatch > 0) return 1
    return this.#counts.unreadable > 0 ? 2 : 0
  }

  get #size(): string {
    return `${(this.#bytes / 2 ** 20).toFixed(1)} MiB read`
  }

  #tellMismatch(object: VerifiedObject, { what, expected, found }: Difference): void {
    const { bucket } = this.#options
    this.#tell(
      { kind: 'mismatch', bucket, ...object, what, expected, found },
      `${this.#nameOf(object)}: ${what}: expected ${expected}, found ${found}`,
    )
  }

  #tellUnreadable(object: VerifiedObject, reason: string): void {
    const { bucket } = this.#options
    this.#tell(
      { kind: 'unreadable', bucket, ...object, reason },
      `${this.#nameOf(object)}: can't be read: ${reason}`,
    )
  }

  #nameOf({ key, versionId }: VerifiedObject): string {
    const version = versionId === undefined ? '' : ` version ${printable(versionId)}`
    return printable(`${this.#options.bucket}/${key}`) + version
  }

  #tell(fields: object, text: string): void {
    const { output, isJson } = this.#options
    output.showProgress?.('')
    output.write(`${isJson ? JSON.stringify(fields) : text}\n`)
  }

  #showProgress(): void {
    const now = performance.now()
    if (now - this.#shownAt < progressEveryMs) return
    this.#shownAt = now
    const { verified, unverifiable, mismatch, unreadable } = this.#counts
    const objects = verified + unverifiable + mismatch + unreadable
    this.#options.output.showProgress?.(`objects: ${counted(objects)}, ${this.#size}`)
  }
}

function counted(count: number): string {
  return count.toLocaleString('en-US')
}

/** Keys may contain terminal control sequences. */
function printable(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
