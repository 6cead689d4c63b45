import { formatBytes } from '../../format/bytes.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { Store } from '../../ui/store.ts'
import { type FileEntry, modifiedOf } from '../entries/entry.ts'
import { formatModified } from '../entries/modified-time.ts'
import type { ClashAnswers } from './clash-names.ts'

export interface ShownClash {
  /** The existing key. */
  readonly key: string
  /** Sizes and dates of both files. */
  readonly details: readonly string[]
}

type FileFigures = Pick<FileEntry, 'size' | 'modifiedAtMs' | 'fileTimeMs'>

/** Both files with size and date. @param verb what happens to the new file: `Moved`. */
export function shownClash(
  key: string,
  there: FileFigures | undefined,
  verb: string,
  file: FileFigures,
): ShownClash {
  const existing =
    there === undefined ? fileWorkTexts.existingUploading : fileWorkTexts.existing(textOf(there))
  return { key, details: [existing, `${verb}: ${textOf(file)}`] }
}

function textOf(file: FileFigures): string {
  return [formatBytes(file.size), formatModified(modifiedOf(file))].filter(Boolean).join(', ')
}

/** A question about files whose names already exist at the target. */
export interface ClashQuestion {
  readonly clashes: readonly ShownClash[]
  /** Undefined: the question was closed without an answer. */
  readonly answer: (answer: ClashAnswers | undefined) => void
}

/** Queues the questions of uploads and moves, which are shown one at a time. */
export class ClashQuestions extends Store<ClashQuestion | undefined> {
  #line: Promise<unknown> = Promise.resolve()

  constructor() {
    super(undefined)
  }

  /** Undefined if the question is closed without an answer or the signal aborts first. */
  ask(clashes: readonly ShownClash[], signal: AbortSignal): Promise<ClashAnswers | undefined> {
    const answered = this.#line.then(() => this.#show(clashes, signal))
    this.#line = answered
    return answered
  }

  async #show(
    clashes: readonly ShownClash[],
    signal: AbortSignal,
  ): Promise<ClashAnswers | undefined> {
    if (signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<ClashAnswers | undefined>()
    const withdraw = () => resolve(undefined)
    signal.addEventListener('abort', withdraw, { once: true })
    this.publish({ clashes, answer: resolve })
    const answer = await promise
    signal.removeEventListener('abort', withdraw)
    this.publish(undefined)
    return answer
  }
}
