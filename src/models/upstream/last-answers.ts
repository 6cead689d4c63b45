import { createHash } from 'node:crypto'
import type { UpstreamQuestion } from '../list/listed-provider.ts'
import type { ModelFacts } from '../list/model-facts.ts'
import { maxIds } from './ask-upstream.ts'
import { UpstreamError } from './upstream.ts'
import type { Upstreams } from './upstreams.ts'

/** The last answer of an upstream. */
interface LastAnswer {
  readonly ids: readonly string[]
  readonly facts: ReadonlyMap<string, ModelFacts>
  /** Why the current list is not known. */
  readonly problem: string | undefined
  /** Whether the upstream answers, but not with a list. */
  readonly isUnlisted: boolean
  readonly atMs: number
  /** Of what the index is built from. */
  readonly digest: string
}

interface LastAnswersParts {
  readonly upstreams: Pick<Upstreams, 'models'>
  /** Called with each list. */
  readonly onList?: (connectionId: string, ids: readonly string[]) => void
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

/** What upstreams last said about their models. The list of an upstream that fails is kept. */
export class LastAnswers {
  readonly #parts: LastAnswersParts
  /** By `keyOf`. */
  readonly #answers = new Map<string, LastAnswer>()
  readonly #underWay = new Map<string, Promise<void>>()
  #revision = 0

  constructor(parts: LastAnswersParts) {
    this.#parts = parts
  }

  /** Changes with each answer that differs from the one before. */
  get revision(): number {
    return this.#revision
  }

  of(question: UpstreamQuestion): LastAnswer | undefined {
    return this.#answers.get(keyOf(question))
  }

  /** Asks the upstreams whose answers are older, and those that have not answered yet. Resolves when all have answered or failed. */
  async ask(questions: readonly UpstreamQuestion[], maxAgeMs: number): Promise<void> {
    const now = this.#parts.now()
    const old = questions.filter((question) => {
      const answer = this.of(question)
      return answer === undefined || now - answer.atMs > maxAgeMs
    })
    await Promise.all(old.map((question) => this.#askOnce(question)))
  }

  /** Forgets the upstreams of all other questions. */
  keepOnly(questions: readonly UpstreamQuestion[]): void {
    const current = new Set(questions.map(keyOf))
    for (const key of this.#answers.keys()) if (!current.has(key)) this.#answers.delete(key)
  }

  #askOnce(question: UpstreamQuestion): Promise<void> {
    const key = keyOf(question)
    const before = this.#underWay.get(key)
    if (before !== undefined) return before
    const asking = this.#ask(key, question).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, asking)
    return asking
  }

  async #ask(key: string, { connectionId, ...upstream }: UpstreamQuestion): Promise<void> {
    const before = this.#answers.get(key)
    const kept = { ids: before?.ids ?? [], facts: before?.facts ?? new Map<string, ModelFacts>() }
    let answer = { ...kept, problem: undefined as string | undefined, isUnlisted: false }
    try {
      const { ids, isWhole, facts } = await this.#parts.upstreams.models(upstream)
      answer = {
        ...answer,
        ids: isWhole ? ids : [...new Set([...ids, ...kept.ids])].slice(0, maxIds),
        facts: facts(),
      }
      this.#parts.onList?.(connectionId, ids)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      const isUnlisted = hasNoList(error)
      // Models that it listed before can be called while it does not answer.
      answer = { ...answer, isUnlisted, problem: isUnlisted ? undefined : error.message }
    }
    const digest = digestOf(answer)
    this.#answers.set(key, { ...answer, digest, atMs: this.#parts.now() })
    if (before?.digest !== digest) this.#revision += 1
  }
}

/**
 * Whether the failure is permanent: many upstreams have no GET /models, or refuse it to some keys. It is not sent without
 * a key (docs/contract/model-list.md, "Upstream request"), but calls are.
 */
function hasNoList({ code, status = 500 }: UpstreamError): boolean {
  return code === 'no-key' || status === 501 || (status < 500 && status !== 408 && status !== 429)
}

function keyOf({ flavour, baseUrl, apiKey, connectionId }: UpstreamQuestion): string {
  return JSON.stringify([connectionId, flavour, baseUrl, apiKey])
}

/** Without the times: those of many servers are the time of the list, as ours. */
function digestOf({ ids, facts, isUnlisted }: Pick<LastAnswer, 'ids' | 'facts' | 'isUnlisted'>) {
  const timeless = [...facts].map(([id, { created: _, ...others }]) => [id, others])
  const text = JSON.stringify([isUnlisted, ids, timeless])
  return createHash('sha256').update(text).digest('base64')
}
