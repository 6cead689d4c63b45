import { formatCount } from '../../format/bytes.ts'
import { visibleName } from '../entries/visible-name.ts'
import type { JobReport } from '../transfers/job-list.ts'
import type { ClashAnswers } from './clash-names.ts'
import type { Move, PutMode } from './move-plan.ts'
import {
  type CopiedFiles,
  type FileMoves,
  type MoveClash,
  type MoveClient,
  type MovedFile,
  moveFiles,
  moveTree,
} from './move-tree.ts'

interface MoveAllParts {
  readonly client: MoveClient
  /** The copies made by this move and its earlier attempts. */
  readonly copies: CopiedFiles
  readonly mode: PutMode
  readonly report: JobReport
  /** Undefined when there are too many to count. */
  readonly total: number | undefined
  /** Asks what to do about name conflicts, once, after everything else is moved. */
  readonly ask: (clashes: readonly MoveClash[]) => Promise<ClashAnswers>
  /** Finds free names for conflicting targets, by key. */
  readonly freeKeys: (bucket: string, keys: readonly string[]) => Promise<Map<string, string>>
  readonly onMoved: (moved: MovedFile) => void
  /** Called for each entry that was moved completely. */
  readonly onWhole: (move: Move) => Promise<void>
}

/** The number of conflicts to ask about; the rest is skipped until the move is repeated. */
const maxAsked = 1_000

const taken = 'a file with this name already exists there'
const meanwhile = 'one of the two files was written in the meantime'

const words = {
  move: { done: 'moved', doing: 'moving', again: 'move' },
  copy: { done: 'copied', doing: 'copying', again: 'copy' },
} as const

/** A move and its files that are not moved yet. */
interface Outcome {
  readonly move: Move
  readonly clashes: MoveClash[]
  skipped: number
  /** The new key of a file that was renamed. */
  renamedTo: string | undefined
}

/** Moves or copies files and trees. Returns the result as a message. */
export async function moveAll(moves: readonly Move[], parts: MoveAllParts): Promise<string> {
  const run = new MoveRun(parts)
  for (const group of groupsOf(moves)) {
    if (parts.report.signal.aborted) break
    await run.moveGroup(group)
  }
  await run.resolveClashes()
  return run.text()
}

/** Files move together, each folder alone. */
function groupsOf(moves: readonly Move[]): readonly (readonly Move[])[] {
  const files = moves.filter(({ entry }) => entry.kind === 'file')
  const folders = moves.filter(({ entry }) => entry.kind === 'folder').map((move) => [move])
  return files.length === 0 ? folders : [files, ...folders]
}

class MoveRun {
  readonly #parts: MoveAllParts
  readonly #outcomes: Outcome[] = []
  readonly #words: (typeof words)[PutMode]
  #moved = 0
  #skipped = 0
  #asked = 0

  constructor(parts: MoveAllParts) {
    this.#parts = parts
    this.#words = words[parts.mode]
    parts.report.progress(0, parts.total)
  }

  async moveGroup(moves: readonly Move[]): Promise<void> {
    const outcomes = new Map<string, Outcome>()
    for (const move of moves) {
      outcomes.set(move.entry.key, { move, clashes: [], skipped: 0, renamedTo: undefined })
    }
    this.#outcomes.push(...outcomes.values())
    await this.#guarded(this.#moveThese(moves, outcomes))
    for (const outcome of outcomes.values()) {
      if (outcome.clashes.length === 0) await this.#end(outcome)
    }
  }

  async #moveThese(moves: readonly Move[], outcomes: ReadonlyMap<string, Outcome>): Promise<void> {
    const [first] = moves
    if (first === undefined) return
    const parts = this.#partsFor((key) => outcomes.get(key) ?? outcomes.get(first.entry.key))
    if (first.entry.kind === 'folder') return moveTree(first, parts)
    const files = moves.flatMap(({ entry, toBucket, to }) =>
      entry.kind === 'file' ? [{ file: entry, target: { bucket: toBucket, key: to } }] : [],
    )
    await moveFiles({ fromBucket: first.fromBucket, files }, parts)
  }

  /** Asks about all conflicts at once and applies the answers. */
  async resolveClashes(): Promise<void> {
    const open = this.#outcomes.filter(({ clashes }) => clashes.length > 0)
    if (open.length === 0) return
    const answerTo = await this.#parts.ask(open.flatMap(({ clashes }) => clashes))
    for (const outcome of open) {
      const clashes = outcome.clashes.splice(0)
      const { skip = [], ...rest } = Object.groupBy(clashes, ({ target }) =>
        this.#parts.report.signal.aborted ? 'skip' : answerTo(target.key),
      )
      const { replace = [], 'keep-both': kept = [] } = rest
      await this.#guarded(this.#resolve(outcome, replace, true))
      await this.#guarded(this.#resolve(outcome, kept, false))
      for (const { file } of skip) this.#skip(outcome, file.key, taken)
      for (const { file } of outcome.clashes) this.#skip(outcome, file.key, meanwhile)
      await this.#end(outcome)
    }
  }

  text(): string {
    const { done } = this.#words
    const moved = `${formatCount(this.#moved)} ${done}`
    if (this.#parts.report.signal.aborted) return `Stopped. ${moved}, the rest was not ${done}.`
    return this.#skipped === 0
      ? `${moved}.`
      : `${moved}, ${formatCount(this.#skipped)} not ${done}.`
  }

  async #resolve(
    outcome: Outcome,
    clashes: readonly MoveClash[],
    isReplacing: boolean,
  ): Promise<void> {
    if (clashes.length === 0) return
    const { entry, fromBucket, toBucket } = outcome.move
    const keys = clashes.map(({ target }) => target.key)
    const free = isReplacing
      ? new Map<string, string>()
      : await this.#parts.freeKeys(toBucket, keys)
    // Replaces only the version that the user was asked about.
    const files: FileMoves['files'] = clashes.map(({ file, target: { bucket, key }, there }) => ({
      file,
      target: { bucket, key: free.get(key) ?? key },
      ...(isReplacing && { replaces: there.etag }),
    }))
    if (entry.kind === 'file') outcome.renamedTo = files[0]?.target.key
    await moveFiles(
      { fromBucket, files },
      this.#partsFor(() => outcome),
    )
  }

  /** @param outcomeOf the move that a key belongs to. */
  #partsFor(outcomeOf: (key: string) => Outcome | undefined) {
    const { client, copies, mode, report, total, onMoved } = this.#parts
    return {
      client,
      copies,
      isCopy: mode === 'copy',
      report: {
        signal: report.signal,
        onMoved: (moved: MovedFile) => {
          this.#moved += 1
          onMoved(moved)
          report.progress(this.#moved, total)
        },
        onSkipped: (key: string, reason: string) => this.#skip(outcomeOf(key), key, reason),
        onClash: (clash: MoveClash) => {
          const { key } = clash.file
          this.#asked += 1
          if (this.#asked <= maxAsked) outcomeOf(key)?.clashes.push(clash)
          else this.#skip(outcomeOf(key), key, taken)
        },
      },
    }
  }

  #skip(outcome: Outcome | undefined, key: string, reason: string): void {
    if (outcome !== undefined) outcome.skipped += 1
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
      const { done, doing, again } = this.#words
      throw new Error(
        `Stopped after ${doing} ${formatCount(this.#moved)}: ${why} ` +
          `The rest was not ${done}. Repeat the ${again} to continue.`,
        { cause: error },
      )
    }
  }
}
