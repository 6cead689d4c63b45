import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { livenessOf } from '../../platform/process/identity.ts'
import { parsedJson } from '../../platform/text/json-text.ts'
import { type Finding, sharedFindings } from '../../storage/drives/local/probe/findings.ts'
import { SharedFolder, type Unseen } from '../../storage/drives/local/probe/shared-folder.ts'
import type { Log } from '../telemetry/log.ts'
import { parseGatewayFacts } from './gateway-facts.ts'
import type { GatewayRow, GatewayTable } from './gateway-table.ts'

/** Several, because a cache that keeps entries for less than a second is not noticed in every round. */
const rounds = 8
const pollMs = 15
/** Poll interval until the first answer. Longer, because the other gateway may be answering another one first. */
const firstPollMs = 250
/** The other gateway looks for questions at each of its heartbeats. */
const firstAnswerMs = 10_000
const nextAnswerMs = 3_000
/** More than one, because the other gateway may be of an earlier version, or be answering another one. */
const attempts = 3

/** In the row of the asking gateway: a request to change the folder. */
interface Question {
  /** The id of the gateway that must answer. */
  readonly to: string
  readonly driveId: string
  /** SharedFolder's name. */
  readonly folder: string
  readonly round: number
}

/** In the row of the other gateway: it has made the changes. */
interface Answer {
  readonly folder: string
  readonly round: number
  readonly identity: string
}

export interface SharedProbeOptions {
  readonly table: Pick<GatewayTable, 'all' | 'answer' | 'ask'>
  /** The folders of this gateway's writable drives, by the drives' ids. */
  readonly folders: () => ReadonlyMap<string, string>
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>
  /** How long to wait for the first answer, which the other gateway writes at a heartbeat. @default 10,000 */
  readonly firstAnswerMs?: number
}

/**
 * Tests each drive together with a gateway on another host: whether changes of the other gateway are visible at once,
 * and whether both see the same identities of files. They communicate through their rows in the database, so that the
 * asking gateway knows when the other one has made its changes.
 */
export class SharedProbe {
  readonly #options: SharedProbeOptions
  readonly #closed = new AbortController()
  /** The number of tests without a result for every drive; infinity after a result. */
  readonly #attempts = new Map<string, number>()
  /** The folders of questions that this gateway has answered or tried to answer. */
  readonly #answered = new Set<string>()
  #asking: Promise<void> | undefined
  #answering: Promise<void> | undefined

  constructor(options: SharedProbeOptions) {
    this.#options = options
  }

  /** Begins to ask or to answer. Call it at every heartbeat. @param rows all gateways, earliest first */
  look(ownId: string, rows: readonly GatewayRow[]): void {
    const running = rows.filter(({ endedAtMs }) => endedAtMs === 0)
    const own = running.find(({ id }) => id === ownId)
    if (own === undefined || this.#closed.signal.aborted) return
    const asker = running.find(({ question }) => {
      const { to, folder = '' } = parseQuestion(question) ?? {}
      return to === ownId && !this.#answered.has(folder)
    })
    if (asker !== undefined) {
      this.#answering ??= this.#settle(this.#answerAll(own, asker)).finally(() => {
        this.#answering = undefined
      })
    }
    const earlier = running.slice(0, running.indexOf(own))
    const next = this.#nextTest(earlier)
    if (next === undefined) return
    this.#asking ??= this.#settle(this.#ask(own, next)).finally(() => {
      this.#asking = undefined
    })
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all([this.#asking, this.#answering])
  }

  /** A drive that is not tested yet, and a gateway that registered before this one and has the same drive. */
  #nextTest(earlier: readonly GatewayRow[]): Test | undefined {
    for (const [driveId, root] of this.#options.folders()) {
      if ((this.#attempts.get(driveId) ?? 0) >= attempts) continue
      const others = earlier.filter(
        ({ process, json }) => livenessOf(process) === 'elsewhere' && hasDrive(json, driveId),
      )
      const other = others[others.length < 2 ? 0 : randomInt(others.length)]
      if (other !== undefined) return { driveId, root, other }
    }
    return undefined
  }

  /** Ignores a failed test: the next heartbeat starts another one. */
  async #settle(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (this.#closed.signal.aborted) return
      this.#options.log.debug({ err: error }, 'a test of a shared folder failed')
    }
  }

  async #ask(own: GatewayRow, { driveId, root, other }: Test): Promise<void> {
    const { table, log } = this.#options
    this.#attempts.set(driveId, (this.#attempts.get(driveId) ?? 0) + 1)
    const name = `shared-${randomUUID()}`
    const fields = { folder: root, gateway: parseGatewayFacts(other.json)?.host ?? other.id }
    let folder: SharedFolder | undefined
    try {
      folder = await SharedFolder.at(root, own.process, name)
      if (folder === undefined) return
      await folder.create()
      const findings = await this.#play(folder, own.id, {
        ...{ to: other.id, driveId, folder: name, round: 0 },
      })
      if (findings === undefined) return this.#giveUp(driveId, fields)
      this.#attempts.set(driveId, Number.POSITIVE_INFINITY)
      for (const { code, text } of findings) log.warn({ ...fields, missing: code }, text)
      if (findings.length === 0) log.info(fields, 'changes of another gateway are visible at once')
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#giveUp(driveId, fields)
      throw error
    } finally {
      // Files that can't be removed are swept with the folder of this process.
      await folder?.remove().catch(() => undefined)
      await folder?.close()
      await table.ask(own.id, '')
    }
  }

  #giveUp(driveId: string, fields: { readonly folder: string; readonly gateway: string }): void {
    if ((this.#attempts.get(driveId) ?? 0) < attempts) return
    const text =
      'could not test whether changes of another gateway are visible at once: restart to test again'
    this.#options.log.info({ ...fields, missing: 'untested' }, text)
  }

  /** Undefined if the other gateway does not answer. */
  async #play(
    folder: SharedFolder,
    ownId: string,
    question: Question,
  ): Promise<readonly Finding[] | undefined> {
    const unseen = new Set<Unseen>()
    let identity = ''
    for (let round = 1; round <= rounds; round += 1) {
      await folder.look(round)
      await this.#options.table.ask(ownId, JSON.stringify({ ...question, round }))
      const { firstAnswerMs: first = firstAnswerMs } = this.#options
      const answer = await this.#answerTo(
        { ...question, round },
        round === 1 ? first : nextAnswerMs,
      )
      if (answer === undefined) return undefined
      identity = answer.identity
      for (const what of await folder.unseen(round)) unseen.add(what)
    }
    return sharedFindings({ unseen, identities: [await folder.identity(), identity] })
  }

  async #answerTo({ to, folder, round }: Question, limitMs: number): Promise<Answer | undefined> {
    const find = async () => {
      const row = (await this.#options.table.all()).find(({ id }) => id === to)
      const answer = parseAnswer(row?.answer)
      return answer?.folder === folder && answer.round === round ? answer : undefined
    }
    return await this.#poll(find, limitMs, round === 1 ? firstPollMs : pollMs)
  }

  /** Answers all questions that one gateway asks about one folder. */
  async #answerAll(own: GatewayRow, asker: GatewayRow): Promise<void> {
    const { table } = this.#options
    let question = parseQuestion(asker.question)
    this.#answered.add(question?.folder ?? '')
    const root = question && this.#options.folders().get(question.driveId)
    const folder =
      root === undefined
        ? undefined
        : await SharedFolder.at(root, asker.process, question?.folder ?? '')
    try {
      while (folder && question !== undefined) {
        const { folder: name, round }: Question = question
        const answer: Answer = { folder: name, round, identity: await folder.change(round) }
        await table.answer(own.id, JSON.stringify(answer))
        const isNext = (one: Question | undefined) => one?.folder !== name || one.round > round
        const next = await this.#poll(async () => {
          const row = (await table.all()).find(({ id }) => id === asker.id)
          const found = parseQuestion(row?.question)
          return isNext(found) ? { found } : undefined
        }, nextAnswerMs)
        question = next?.found?.folder === name ? next.found : undefined
      }
    } finally {
      await folder?.close()
    }
    await table.answer(own.id, '')
  }

  /** Undefined after the time limit. @throws when the probe is closed */
  async #poll<Result>(
    find: () => Promise<Result | undefined>,
    limitMs: number,
    everyMs = pollMs,
  ): Promise<Result | undefined> {
    const endAt = performance.now() + limitMs
    for (;;) {
      const found = await find()
      if (found !== undefined || performance.now() > endAt) return found
      await sleep(everyMs, undefined, { signal: this.#closed.signal })
    }
  }
}

interface Test {
  readonly driveId: string
  /** The drive's folder. */
  readonly root: string
  readonly other: GatewayRow
}

function hasDrive(json: string, driveId: string): boolean {
  return Object.values(parseGatewayFacts(json)?.drives ?? {}).includes(driveId)
}

function parseQuestion(text = ''): Question | undefined {
  const question = (parsedJson(text) ?? {}) as Partial<Question>
  const { to, driveId, folder, round } = question
  const isWhole = [to, driveId, folder].every((one) => typeof one === 'string')
  return isWhole && Number.isSafeInteger(round) ? (question as Question) : undefined
}

function parseAnswer(text = ''): Answer | undefined {
  const answer = (parsedJson(text) ?? {}) as Partial<Answer>
  const isWhole = [answer.folder, answer.identity].every((one) => typeof one === 'string')
  return isWhole && Number.isSafeInteger(answer.round) ? (answer as Answer) : undefined
}
