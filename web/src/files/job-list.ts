/** Work on the drive that takes a while: moving a tree, deleting one. */
export type JobState = 'running' | 'done' | 'cancelled' | 'failed'

export interface Job {
  readonly id: number
  /** What it does: `Moving “trip” to photos/2024/`. */
  readonly title: string
  readonly state: JobState
  /** Objects it is through with. */
  readonly done: number
  /** Of so many; undefined: nobody knows. */
  readonly total: number | undefined
  /** How it ended, for people. */
  readonly outcome: string | undefined
  /** What was left as it is, and why. Not all when they are many. */
  readonly problems: readonly string[]
  readonly problemCount: number
  /** Whether the same work can be begun again to do what is left. */
  readonly canRepeat: boolean
}

export interface JobReport {
  readonly signal: AbortSignal
  progress(done: number, total: number | undefined): void
  problem(text: string): void
}

export interface JobOrder {
  readonly title: string
  readonly canRepeat?: boolean
  /** Gives how it ended, for people. */
  readonly work: (report: JobReport) => Promise<string>
}

const shownProblems = 100

interface Row {
  job: Job
  readonly order: JobOrder
  controller: AbortController
}

/** What is under way in this page, and how the last of it ended. */
export class JobList {
  readonly #listeners = new Set<() => void>()
  #rows: readonly Row[] = []
  #jobs: readonly Job[] = []
  #nextId = 1

  readonly snapshot = (): readonly Job[] => this.#jobs

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when the work has ended, however it did. */
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

  /** Stops after what it is at. */
  cancel(id: number): void {
    this.#rows.find(({ job }) => job.id === id)?.controller.abort()
  }

  cancelAll(): void {
    for (const { controller } of this.#rows) controller.abort()
  }

  /** Takes an ended one off the list. */
  dismiss(id: number): void {
    this.#rows = this.#rows.filter(({ job }) => job.id !== id || job.state === 'running')
    this.#tell()
  }

  async #run(row: Row): Promise<Job> {
    this.#tell()
    const { signal } = row.controller
    try {
      const outcome = await row.order.work({
        signal,
        progress: (done, total) => this.#set(row, { done, total }),
        problem: (text) => this.#addProblem(row, text),
      })
      this.#set(row, { state: signal.aborted ? 'cancelled' : 'done', outcome })
    } catch (error) {
      const outcome = error instanceof Error ? error.message : String(error)
      this.#set(row, { state: signal.aborted ? 'cancelled' : 'failed', outcome })
    }
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
    this.#tell()
  }

  #tell(): void {
    this.#jobs = this.#rows.map(({ job }) => job)
    for (const listener of this.#listeners) listener()
  }
}

function begun(id: number, { title, canRepeat = false }: JobOrder): Job {
  return {
    ...{ id, title, canRepeat },
    state: 'running',
    done: 0,
    total: undefined,
    outcome: undefined,
    problems: [],
    problemCount: 0,
  }
}
