import { formatCount } from '../../format/bytes.ts'
import { visibleName } from '../entries/visible-name.ts'
import type { JobReport } from '../transfers/job-list.ts'
import type { ClashAnswer } from './clash-names.ts'
import type { Move } from './move-plan.ts'
import {
  type FileMoves,
  type MoveClash,
  type MoveClient,
  moveFiles,
  moveTree,
} from './move-tree.ts'

interface MoveAllParts {
  readonly client: MoveClient
  readonly report: JobReport
  /** Undefined when there are too many to count. */
  readonly total: number | undefined
  /** Asks what to do about name conflicts, once, after everything else is moved. */
  readonly ask: (clashes: readonly MoveClash[]) => Promise<ClashAnswer>
  /** Finds free names for conflicting targets, by key. */
  readonly freeKeys: (bucket: string, keys: readonly string[]) => Promise<Map<string, string>>
  /** Called for each entry that was moved completely. */
  readonly onWhole: (move: Move) => Promise<void>
}

/** The number of conflicts to ask about; the rest is skipped until the move is repeated. */
const maxAsked = 1_000

const taken = 'a file with this name already exists there'

/** A move and the files of it that are not moved yet. */
interface Outcome {
  readonly move: Move
  readonly clashes: MoveClash[]
  skipped: number
  /** The new key of a file that was renamed. */
  renamedTo: string | undefined
}

/** Moves files and trees one by one. Returns the result as a message. */
export async function moveAll(moves: readonly Move[], parts: MoveAllParts): Promise<string> {
  const run = new MoveRun(parts)
  for (const move of moves) {
    if (parts.report.signal.aborted) break
    await run.moveEntry(move)
  }
  await run.resolveClashes()
  return run.text()
}

class MoveRun {
  readonly #parts: MoveAllParts
  readonly #outcomes: Outcome[] = []
  #moved = 0
  #skipped = 0
  #asked = 0

  constructor(parts: MoveAllParts) {
    this.#parts = parts
    parts.report.progress(0, parts.total)
  }

  async moveEntry(move: Move): Promise<void> {
    const outcome: Outcome = { move, clashes: [], skipped: 0, renamedTo: undefined }
    this.#outcomes.push(outcome)
    await this.#guarded(moveTree(move, this.#partsFor(outcome)))
    if (outcome.clashes.length === 0) await this.#end(outcome)
  }

  /** Asks about all conflicts at once and applies the answer. */
  async resolveClashes(): Promise<void> {
    const open = this.#outcomes.filter(({ clashes }) => clashes.length > 0)
    if (open.length === 0) return
    const answer = await this.#parts.ask(open.flatMap(({ clashes }) => clashes))
    for (const outcome of open) {
      const clashes = outcome.clashes.splice(0)
      if (answer === 'skip' || this.#parts.report.signal.aborted) {
        for (const { file } of clashes) this.#skip(outcome, file.key, taken)
      } else {
        await this.#guarded(this.#resolve(outcome, clashes, answer))
      }
      for (const { file } of outcome.clashes) this.#skip(outcome, file.key, taken)
      await this.#end(outcome)
    }
  }

  text(): string {
    const moved = `${formatCount(this.#moved)} moved`
    if (this.#parts.report.signal.aborted) return `Stopped. ${moved}, the rest was not moved.`
    return this.#skipped === 0 ? `${moved}.` : `${moved}, ${formatCount(this.#skipped)} not moved.`
  }

  async #resolve(
    outcome: Outcome,
    clashes: readonly MoveClash[],
    answer: Exclude<ClashAnswer, 'skip'>,
  ): Promise<void> {
    const { entry, fromBucket, toBucket } = outcome.move
    const isReplacing = answer === 'replace'
    const keys = clashes.map(({ target }) => target.key)
    const free = isReplacing
      ? new Map<string, string>()
      : await this.#parts.freeKeys(toBucket, keys)
    const files: FileMoves['files'] = clashes.map(({ file, target: { bucket, key } }) => ({
      file,
      target: { bucket, key: free.get(key) ?? key },
    }))
    if (entry.kind === 'file') outcome.renamedTo = files[0]?.target.key
    await moveFiles({ fromBucket, files, mayReplace: isReplacing }, this.#partsFor(outcome))
  }

  #partsFor(outcome: Outcome) {
    const { client, report, total } = this.#parts
    return {
      client,
      report: {
        signal: report.signal,
        onMoved: () => {
          this.#moved += 1
          report.progress(this.#moved, total)
        },
        onSkipped: (key: string, reason: string) => this.#skip(outcome, key, reason),
        onClash: (clash: MoveClash) => {
          this.#asked += 1
          if (this.#asked <= maxAsked) outcome.clashes.push(clash)
          else this.#skip(outcome, clash.file.key, taken)
        },
      },
    }
  }

  #skip(outcome: Outcome, key: string, reason: string): void {
    outcome.skipped += 1
    this.#skipped += 1
    this.#parts.report.problem(`${visibleName(key)}: ${reason}`)
  }

  async #end({ move, skipped, renamedTo }: Outcome): Promise<void> {
    if (skipped > 0 || this.#parts.report.signal.aborted) return
    await this.#parts.onWhole({ ...move, to: renamedTo ?? move.to })
  }

  async #guarded(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(
        `Stopped after moving ${formatCount(this.#moved)}: ${why} ` +
          'The rest was not moved. Repeat the move to continue.',
        { cause: error },
      )
    }
  }
}
