import { Store } from '../../ui/store.ts'

/** Long-running work on the drive: moving, copying or deleting. */
type JobState = 'running' | 'done' | 'cancelled' | 'failed'

export interface Job {
  readonly id: number
  /** Describes the job: `Moving “trip” to photos/2024/`. */
  readonly title: string
  readonly state: JobState
  /** The number of processed objects. */
  readonly done: number
  /** The total number of objects; undefined if unknown. */
  readonly total: number | undefined
  /** The result as a message. */
  readonly outcome: string | undefined
  /** What was skipped and why. Truncated if there are many. */
  readonly problems: readonly string[]
  readonly problemCount: number
  /** Whether it continues without this page. */
  readonly isOnServer: boolean
  /** Undoes the job, once it has ended. */
  readonly undo: JobOrder | undefined
}

export interface JobReport {
  readonly signal: AbortSignal
  progress(done: number, total: number | undefined): void
  problem(text: string): void
  /** Problems that are counted, and not known one by one. */
  moreProblems(count: number): void
}

export interface JobOrder {
  readonly title: string
  /** The title once the work has ended. Absent: `title`. */
  readonly doneTitle?: () => string
  readonly isOnServer?: boolean
  /** Resolves with the result as a message. Repeating the work completes it. */
  readonly work: (report: JobReport) => Promise<string>
  /** Called when the work has ended. Undefined: nothing can be undone. */
  readonly undo?: () => JobOrder | undefined
  /** Called when the job leaves the list. */
  readonly leave?: () => void
}

const shownProblems = 100

interface Row {
  job: Job
  readonly order: JobOrder
  controller: AbortController
}

/** The running and ended jobs of this page. */
export class JobList extends Store<readonly Job[]> {
  #rows: readonly Row[] = []
  #nextId = 1

  constructor() {
    super([])
  }

  /** Resolves when the work has ended, successfully or not. */
  start(order: JobOrder): Promise<Job> {
    const row: Row = { job: begun(this.#nextId, order), order, controller: new AbortController() }
    this.#nextId += 1
    this.#rows = [...this.#rows, row]
    return this.#run(row)
  }

  repeat(id: number): void {
    const row = this.#rows.find(({ job }) => job.id === id)
    if (row === undefined || row.job.state === 'running') return
    row.job = begun(id, row.order)
    row.controller = new AbortController()
    void this.#run(row)
  }

  /** Stops after the objects in progress. */
  cancel(id: number): void {
    this.#rows.find(({ job }) => job.id === id)?.controller.abort()
  }

  /**
   * Undoes an ended job; by default the last one that can be undone. False if there is none, or if it is not known to have
   * ended: the lists may show what it did before that, and an earlier job is not meant.
   */
  undo(id?: number): boolean {
    const isMeant = ({ job, order }: Row): boolean => {
      if (id !== undefined) return job.id === id
      return job.undo !== undefined || (job.state === 'running' && order.undo !== undefined)
    }
    const row = this.#rows.findLast(isMeant)
    if (row?.job.undo === undefined) return false
    this.dismiss(row.job.id)
    void this.start(row.job.undo)
    return true
  }

  /** Called after sign-out: the next user can neither see nor undo these jobs. */
  forgetAll(): void {
    for (const { controller, order } of this.#rows) {
      controller.abort('forgotten')
      order.leave?.()
    }
    this.#rows = []
    this.#notify()
  }

  /** Removes an ended job from the list. */
  dismiss(id: number): void {
    const row = this.#rows.find(({ job }) => job.id === id)
    if (row === undefined || row.job.state === 'running') return
    this.#rows = this.#rows.filter((one) => one !== row)
    row.order.leave?.()
    this.#notify()
  }

  async #run(row: Row): Promise<Job> {
    this.#notify()
    const { signal } = row.controller
    try {
      const outcome = await row.order.work({
        signal,
        progress: (done, total) => this.#set(row, { done, total }),
        problem: (text) => this.#addProblem(row, text),
        moreProblems: (count) => this.#set(row, { problemCount: row.job.problemCount + count }),
      })
      const { title, doneTitle = () => title } = row.order
      const end = signal.aborted
        ? ({ state: 'cancelled' } as const)
        : ({ state: 'done', title: doneTitle() } as const)
      this.#set(row, { ...end, outcome })
    } catch (error) {
      const outcome = error instanceof Error ? error.message : String(error)
      this.#set(row, { state: signal.aborted ? 'cancelled' : 'failed', outcome })
    }
    const undo = row.order.undo?.()
    if (undo !== undefined) this.#set(row, { undo })
    return row.job
  }

  #addProblem(row: Row, text: string): void {
    const { problems, problemCount } = row.job
    const isShown = problems.length < shownProblems
    this.#set(row, {
      problemCount: problemCount + 1,
      ...(isShown && { problems: [...problems, text] }),
    })
  }

  #set(row: Row, changes: Partial<Job>): void {
    row.job = { ...row.job, ...changes }
    this.#notify()
  }

  #notify(): void {
    this.publish(this.#rows.map(({ job }) => job))
  }
}

function begun(id: number, { title, isOnServer = false }: JobOrder): Job {
  return {
    ...{ id, title, isOnServer },
    state: 'running',
    done: 0,
    total: undefined,
    outcome: undefined,
    problems: [],
    problemCount: 0,
    undo: undefined,
  }
}
