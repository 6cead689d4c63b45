import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import {
  type ListedProvider,
  listedConnections,
  type UpstreamQuestion,
  upstreamQuestions,
} from '../list/listed-provider.ts'
import type { LoadedInputs, ModelLists } from '../list/model-lists.ts'
import { ModelIndex, type Resolution } from '../list/resolve-model.ts'
import { allKinds, type ServiceKind } from '../list/routing-inputs.ts'
import { UpstreamError } from '../upstream/upstream.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

interface CallIndexParts {
  readonly lists: Pick<ModelLists, 'inputs'>
  readonly catalogue: Catalogue
  readonly upstreams: Pick<Upstreams, 'modelIds'>
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

/** The last answer of an upstream. */
interface Answer {
  readonly ids: readonly string[]
  /** Why the current list is not known. */
  readonly problem: string | undefined
  /** Whether the upstream answers, but not with a list. */
  readonly isUnlisted: boolean
  readonly atMs: number
}

/** The inputs, prepared for calls. */
interface Prepared {
  readonly inputs: LoadedInputs
  readonly providers: readonly ListedProvider[]
  readonly questions: readonly UpstreamQuestion[]
  readonly index: ModelIndex
}

/** How long the list of an upstream is used before it is queried again. */
const keptMs = 5 * 60_000
/** The same for a model that the list does not contain. */
const askAgainMs = 5_000

/** Finds the targets of a call. An upstream is queried only if its list is needed to find them. */
export class CallIndex {
  readonly #parts: CallIndexParts
  /** By `keyOf`. */
  readonly #answers = new Map<string, Answer>()
  /** Whether an answer has changed since the index was built. */
  #isOutdated = false
  #prepared: Prepared | undefined

  constructor(parts: CallIndexParts) {
    this.#parts = parts
  }

  /** @throws ApiError 404 if there is no such model, 503 if an upstream that may have it does not answer */
  async resolve(id: string, kinds: ReadonlySet<ServiceKind>): Promise<Resolution> {
    const inputs = await this.#parts.lists.inputs()
    const questions = this.#questionsAbout(id, this.#prepare(inputs))
    await this.#ask(questions.filter((question) => this.#ageMs(question) > keptMs))
    const known = this.#prepare(inputs).index.resolve(id, kinds)
    if (known !== undefined) return known
    await this.#ask(questions.filter((question) => this.#ageMs(question) > askAgainMs))
    const found = this.#prepare(inputs).index.resolve(id, kinds)
    if (found !== undefined) return found
    const [problem] = questions.flatMap((one) => this.#answers.get(keyOf(one))?.problem ?? [])
    if (problem === undefined) throw noSuchModel(id)
    throw new ApiError(503, `It is not known whether the model ${quoted(id)} exists. ${problem}`)
  }

  /** The questions to the provider in the id; for a combo or an alias, which may name any model, all questions. */
  #questionsAbout(id: string, { providers, questions }: Prepared): readonly UpstreamQuestion[] {
    const named = providers.filter(({ outputAlias }) => id.startsWith(`${outputAlias}/`))
    if (named.length === 0) return questions
    const ids = new Set(named.map(({ connection }) => connection.id))
    return questions.filter(({ connectionId }) => ids.has(connectionId))
  }

  #ageMs(question: UpstreamQuestion): number {
    const { atMs = Number.NEGATIVE_INFINITY } = this.#answers.get(keyOf(question)) ?? {}
    return this.#parts.now() - atMs
  }

  async #ask(questions: readonly UpstreamQuestion[]): Promise<void> {
    await Promise.all(questions.map((question) => this.#askOne(question)))
  }

  async #askOne(question: UpstreamQuestion): Promise<void> {
    const { connectionId: _, ...upstream } = question
    const key = keyOf(question)
    const before = this.#answers.get(key)
    let ids = before?.ids ?? []
    let problem: string | undefined
    let isUnlisted = false
    try {
      ids = await this.#parts.upstreams.modelIds(upstream)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      isUnlisted = hasNoList(error)
      // Models that it listed before can be called while it does not answer.
      if (!isUnlisted) problem = error.message
    }
    this.#answers.set(key, { ids, problem, isUnlisted, atMs: this.#parts.now() })
    const isOld = before?.ids.join('\n') === ids.join('\n') && before.isUnlisted === isUnlisted
    this.#isOutdated ||= !isOld
  }

  /** Builds the index again if an input or an answer has changed. */
  #prepare(inputs: LoadedInputs): Prepared {
    const before = this.#prepared
    if (!this.#isOutdated && before !== undefined && isSame(before.inputs, inputs)) return before
    const all = { ...inputs, catalogue: this.#parts.catalogue }
    const { providers } = listedConnections({ ...all, filter: allKinds })
    const questions = upstreamQuestions(providers)
    const current = new Set(questions.map(keyOf))
    for (const key of this.#answers.keys()) if (!current.has(key)) this.#answers.delete(key)
    const answers = questions.map(
      (one) => [one.connectionId, this.#answers.get(keyOf(one))] as const,
    )
    const upstreamIds = new Map(answers.map(([id, answer]) => [id, answer?.ids ?? []]))
    const unlisted = new Set(answers.flatMap(([id, answer]) => (answer?.isUnlisted ? [id] : [])))
    const prepared = {
      inputs,
      providers,
      questions,
      index: new ModelIndex({ ...all, upstreamIds, unlisted }),
    }
    this.#isOutdated = false
    this.#prepared = prepared
    return prepared
  }
}

/** Whether the failure is permanent: many upstreams have no GET /models, or refuse it to some keys. */
function hasNoList({ status = 500 }: UpstreamError): boolean {
  return status < 500 && status !== 408 && status !== 429
}

function keyOf({ flavour, baseUrl, apiKey, connectionId }: UpstreamQuestion): string {
  return JSON.stringify([connectionId, flavour, baseUrl, apiKey])
}

function isSame(a: LoadedInputs, b: LoadedInputs): boolean {
  return (
    a.connections === b.connections &&
    a.combos === b.combos &&
    a.customModels === b.customModels &&
    a.modelAliases === b.modelAliases
  )
}

/** Characters of an id in a message. */
const maxQuoted = 200

export function quoted(id: string): string {
  return id.slice(0, maxQuoted)
}

function noSuchModel(id: string): ApiError {
  return new ApiError(404, `The model ${quoted(id)} does not exist.`, { code: 'model_not_found' })
}
