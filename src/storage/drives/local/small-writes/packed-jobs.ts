import type {
  HistoryJob,
  MovedFile,
  SealJob,
  StoreJob,
  StoreOutcome,
  WriteJob,
  WriteJobs,
  WriteOutcome,
  WriteOutcomes,
} from './write-jobs.ts'

/**
 * Jobs and outcomes on their way between two threads. Structured clone takes time for each object and property: as objects,
 * a small write costs a quarter of its CPU time here. So their texts are one text, and their numbers one list. The bytes of
 * files are copied into memory that both threads have.
 */
interface Packed {
  /** Separated by NUL, which is in no path and in no JSON. An absent text is empty. */
  readonly texts: string
  readonly numbers: readonly number[]
}

export interface PackedJobs extends Packed {
  readonly memory: SharedArrayBuffer
}

export interface PackedCall extends Omit<WriteJobs, 'jobs'> {
  readonly jobs: PackedJobs
}

export interface PackedOutcomes extends Packed, Pick<WriteOutcomes, 'syncMs'> {}

const separator = '\0'
const kinds = ['seal', 'publish', 'store'] as const
const textsOfJob = 10
const numbersOfJob = 5
const textsOfOutcome = 4
const numbersOfOutcome = 8
const nothing = new Uint8Array()
/** A descriptor or a time that is absent. */
const none = -1

/** @param memory has room for the bytes of all jobs */
export function packJobs(jobs: readonly WriteJob[], memory: SharedArrayBuffer): PackedJobs {
  const texts: string[] = []
  const numbers: number[] = []
  const shared = new Uint8Array(memory)
  let end = 0
  for (const job of jobs) {
    const file: Partial<Omit<SealJob, 'kind'>> = job.kind === 'publish' ? {} : job
    const target: Partial<StoreJob> = job.kind === 'seal' ? {} : (job as StoreJob)
    const { bytes = nothing, modifiedAtMs = 0, isRelaxed = false } = file
    const { folder = '', name = '', alternative = '', lock, history, record, links } = target
    const replaced = job.kind === 'publish' ? job.replaced : links
    texts.push(job.path, folder, name, alternative, lock?.holder ?? '', lock?.path ?? '')
    texts.push(history === undefined ? '' : JSON.stringify(history), replaced ?? '')
    texts.push(record?.path ?? '', record?.json ?? '')
    numbers.push(kinds.indexOf(job.kind), modifiedAtMs, Number(isRelaxed), end, bytes.length)
    shared.set(bytes, end)
    end += bytes.length
  }
  return { texts: texts.join(separator), numbers, memory }
}

export function unpackJobs({ texts, numbers, memory }: PackedJobs): WriteJob[] {
  const all = texts.split(separator)
  return Array.from({ length: numbers.length / numbersOfJob }, (_, index) => {
    const [path = '', folder = '', name = '', alternative = '', ...others] = all.slice(
      index * textsOfJob,
      (index + 1) * textsOfJob,
    )
    const [holder = '', lockPath = '', history = '', replaced = '', ...record] = others
    const [kind = 0, modifiedAtMs = 0, isRelaxed = 0, start = 0, length = 0] = numbers.slice(
      index * numbersOfJob,
      (index + 1) * numbersOfJob,
    )
    const [recordPath = '', json = ''] = record
    const link = replaced === '' ? undefined : replaced
    return {
      ...{ kind: kinds[kind], path, folder, name, alternative, lock: { holder, path: lockPath } },
      history: history === '' ? undefined : (JSON.parse(history) as HistoryJob),
      ...{ replaced: link, links: link, record: { path: recordPath, json } },
      ...{ modifiedAtMs, isRelaxed: isRelaxed === 1 },
      bytes: new Uint8Array(memory, start, length),
    } as WriteJob
  })
}

export function packOutcomes(outcomes: readonly WriteOutcome[]): Packed {
  const texts: string[] = []
  const numbers: number[] = []
  for (const outcome of outcomes) {
    const { stamp, fd = none, moved, isLocked }: Partial<StoreOutcome> = outcome ?? {}
    const { recordedMs = none }: Partial<StoreOutcome> = outcome ?? {}
    const { gone = '', synced = '', syncError = '' }: Partial<MovedFile> = moved ?? {}
    texts.push(stamp?.identity ?? '', gone, synced, syncError)
    const [hasStamp, hasMoved] = [Number(stamp !== undefined), Number(moved !== undefined)]
    numbers.push(Number(outcome !== undefined), hasStamp, hasMoved, recordedMs)
    numbers.push(Number(isLocked ?? false), fd, stamp?.size ?? 0, stamp?.modifiedAtMs ?? 0)
  }
  return { texts: texts.join(separator), numbers }
}

export function unpackOutcomes({ texts, numbers }: Packed): WriteOutcome[] {
  const all = texts.split(separator).map((text) => (text === '' ? undefined : text))
  return Array.from({ length: numbers.length / numbersOfOutcome }, (_, index) => {
    const [identity = '', gone, synced, syncError] = all.slice(
      index * textsOfOutcome,
      (index + 1) * textsOfOutcome,
    )
    const [isPresent, hasStamp, hasMoved, recordedMs, isLocked, ...file] = numbers.slice(
      index * numbersOfOutcome,
      (index + 1) * numbersOfOutcome,
    )
    if (isPresent === 0) return undefined
    const [fd = none, size = 0, modifiedAtMs = 0] = file
    return {
      stamp: hasStamp === 1 ? { identity, size, modifiedAtMs } : undefined,
      fd: fd === none ? undefined : fd,
      recordedMs: recordedMs === none ? undefined : recordedMs,
      moved: hasMoved === 1 ? { gone, synced, syncError } : undefined,
      isLocked: isLocked === 1,
    } as WriteOutcome
  })
}
