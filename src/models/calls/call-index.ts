import { ApiError } from '../../platform/json-api/api-error.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type CallableModel, callableModels } from '../list/callable-models.ts'
import {
  factQuestions,
  isNeverAsked,
  type ListedProvider,
  listedConnections,
  type UpstreamQuestion,
  upstreamQuestions,
} from '../list/listed-provider.ts'
import type { LoadedInputs, ModelLists } from '../list/model-lists.ts'
import { ModelIndex, type Resolution, type UpstreamFacts } from '../list/resolve-model.ts'
import { allKinds, type ServiceKind } from '../list/routing-inputs.ts'
import { LastAnswers } from '../upstream/last-answers.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

interface CallIndexParts {
  readonly lists: Pick<ModelLists, 'recentInputs'>
  readonly catalogue: Catalogue
  readonly upstreams: Pick<Upstreams, 'models'>
  /** Called with each list of an upstream. */
  readonly onList?: (connectionId: string, ids: readonly string[]) => void
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

/** Whose models are looked for. */
export interface ModelSeeker {
  allows(id: string): boolean
  /** @throws ApiError the answer for an id that is not allowed */
  assertAllowed(id: string): void
}

/** The inputs, prepared for calls. */
interface Prepared {
  readonly inputs: LoadedInputs
  readonly revision: number
  readonly providers: readonly ListedProvider[]
  readonly questions: readonly UpstreamQuestion[]
  /** Upstreams that are asked only for what they say about models. */
  readonly factQuestions: readonly UpstreamQuestion[]
  readonly index: ModelIndex
  /** Made for the first list. */
  models: readonly CallableModel[] | undefined
}

/** How long the list of an upstream is used before it is queried again. */
const keptMs = 5 * 60_000
/** The same for a model that the list does not contain, and for the list of models. */
const askAgainMs = 5_000
/** The maximum time that a list waits for upstreams that have not answered yet. */
const firstListMs = 1_500

/** Finds the targets of a call. An upstream is queried only if its list is needed to find them. */
export class CallIndex {
  readonly #parts: CallIndexParts
  readonly #answers: LastAnswers
  #prepared: Prepared | undefined

  constructor(parts: CallIndexParts) {
    this.#parts = parts
    this.#answers = new LastAnswers(parts)
  }

  /**
   * Finds the targets of an id. The provider's own id of a model is enough if one provider has it. Only models that the
   * seeker may call count, so that the answer says nothing about others.
   *
   * @throws ApiError 404 if there is no such model, 503 if an upstream that may have it does not answer
   */
  async resolve(
    id: string,
    kinds: ReadonlySet<ServiceKind>,
    seeker: ModelSeeker,
  ): Promise<Resolution> {
    const inputs = await this.#parts.lists.recentInputs()
    const find = () => found(id, kinds, seeker, this.#prepare(inputs).index)
    // Asking only the provider of a model that is not allowed would tell, by its time, that there is one.
    const { questions: all } = this.#prepare(inputs)
    const questions = seeker.allows(id) ? this.#questionsAbout(id, this.#prepare(inputs)) : all
    await this.#answers.ask(questions, Number.POSITIVE_INFINITY)
    this.#askBehind(questions, keptMs)
    const known = find()
    if (known !== undefined) return known
    seeker.assertAllowed(id)
    await this.#answers.ask(questions, askAgainMs)
    const late = find()
    if (late !== undefined) return late
    const [problem] = questions.flatMap((one) => this.#answers.of(one)?.problem ?? [])
    if (problem === undefined) throw noSuchModel(id)
    throw new ApiError(503, `It is not known whether the model ${quoted(id)} exists. ${problem}`)
  }

  /** Everything that can be called, as far as known: upstreams are queried behind the answer. */
  async models(): Promise<readonly CallableModel[]> {
    const inputs = await this.#parts.lists.recentInputs()
    const { questions, factQuestions: more } = this.#prepare(inputs)
    const first = this.#answers.ask([...questions, ...more], Number.POSITIVE_INFINITY)
    await withinTime(first, firstListMs).catch(() => undefined)
    this.#askBehind(questions, askAgainMs)
    this.#askBehind(more, keptMs)
    const prepared = this.#prepare(inputs)
    const all = { ...prepared, ...inputs, catalogue: this.#parts.catalogue }
    prepared.models ??= [...callableModels({ ...all, facts: this.#facts(prepared) })]
    return prepared.models
  }

  #facts({
    questions,
    factQuestions: more,
  }: Pick<Prepared, 'questions' | 'factQuestions'>): UpstreamFacts {
    return new Map(
      [...questions, ...more].flatMap((question) => {
        const facts = this.#answers.of(question)?.facts
        return facts === undefined ? [] : [[question.connectionId, facts] as const]
      }),
    )
  }

  /** A failure is in the answer that is kept. */
  #askBehind(questions: readonly UpstreamQuestion[], maxAgeMs: number): void {
    this.#answers.ask(questions, maxAgeMs).catch(() => undefined)
  }

  /** The questions to the provider in the id; for an id without one, which may be anybody's, all questions. */
  #questionsAbout(id: string, { providers, questions }: Prepared): readonly UpstreamQuestion[] {
    const named = providers.filter(({ outputAlias }) => id.startsWith(`${outputAlias}/`))
    if (named.length === 0) return questions
    const ids = new Set(named.map(({ connection }) => connection.id))
    return questions.filter(({ connectionId }) => ids.has(connectionId))
  }

  /** Builds the index again if an input or an answer has changed. */
  #prepare(inputs: LoadedInputs): Prepared {
    const before = this.#prepared
    const { revision } = this.#answers
    if (before?.revision === revision && isSame(before.inputs, inputs)) return before
    const all = { ...inputs, catalogue: this.#parts.catalogue }
    const { providers } = listedConnections({ ...all, filter: allKinds })
    const questions = upstreamQuestions(providers)
    const more = factQuestions(providers)
    this.#answers.keepOnly([...questions, ...more])
    const answers = questions.map((one) => [one.connectionId, this.#answers.of(one)] as const)
    const upstreamIds = new Map(answers.map(([id, answer]) => [id, answer?.ids ?? []]))
    const unlisted = new Set([
      ...answers.flatMap(([id, answer]) => (answer?.isUnlisted ? [id] : [])),
      ...providers.filter(isNeverAsked).map(({ connection }) => connection.id),
    ])
    const facts = this.#facts({ questions, factQuestions: more })
    const index = new ModelIndex({ ...all, upstreamIds, unlisted, facts })
    const prepared = { ...{ inputs, revision, providers, questions, index }, factQuestions: more }
    this.#prepared = { ...prepared, models: undefined }
    return this.#prepared
  }
}

/** The targets of an id, or of the one model with this own id. @throws ApiError 404 if several have it */
function found(
  id: string,
  kinds: ReadonlySet<ServiceKind>,
  seeker: ModelSeeker,
  index: ModelIndex,
): Resolution | undefined {
  const exact = seeker.allows(id) ? index.resolve(id, kinds) : undefined
  if (exact !== undefined) return exact
  const [only, ...others] = index.idsOfOwn(id, kinds).filter((each) => seeker.allows(each))
  if (only === undefined) return undefined
  if (others.length === 0) return index.resolve(only, kinds)
  const names = [only, ...others].slice(0, maxNamed).map(quoted).join(', ')
  const message = `Several connections have the model ${quoted(id)}. Use one of these ids: ${names}.`
  throw new ApiError(404, message, { code: 'model_not_found' })
}

/** The most ids in a message. */
const maxNamed = 5

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

export function noSuchModel(id: string): ApiError {
  return new ApiError(404, `The model ${quoted(id)} does not exist.`, { code: 'model_not_found' })
}
