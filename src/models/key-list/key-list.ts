import type { Log } from '../../platform/process/log.ts'
import type { Caller } from '../calls/call-access.ts'
import { type CallIndex, noSuchModel } from '../calls/call-index.ts'
import { fitsAny } from '../keys/model-keys.ts'
import type { CallableModel } from '../list/callable-models.ts'
import { ListCache, type ListReply } from '../list/list-cache.ts'
import { allKinds, type ServiceKind } from '../list/routing-inputs.ts'
import { anthropicPage, codexEntry, openAiEntry, type Page } from './list-forms.ts'

interface KeyListParts {
  readonly index: Pick<CallIndex, 'models' | 'resolve'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Log
}

interface Wanted {
  /** Undefined: all kinds. */
  readonly kind: ServiceKind | undefined
  readonly patterns: Caller['patterns']
}

const maxSelected = 64

/** The list of the models that a key may call (docs/model-list.md). */
export class KeyList {
  readonly #parts: KeyListParts
  readonly #kept: ListCache
  /** What is cached belongs to these. */
  #models: readonly CallableModel[] = []
  /** The models of recent lists, by kind and patterns. */
  readonly #selected = new Map<string, readonly CallableModel[]>()

  constructor(parts: KeyListParts) {
    this.#parts = parts
    this.#kept = new ListCache(parts)
  }

  /**
   * The list in OpenAI's form, as the body of a reply, which must be closed.
   *
   * @throws ApiError 503 when clients leave too many different lists unread
   */
  async list(wanted: Wanted, { forCodex }: { readonly forCodex: boolean }): Promise<ListReply> {
    const models = await this.#parts.index.models()
    const name = JSON.stringify([wanted.kind, wanted.patterns, forCodex])
    const data = this.#select(models, wanted)
    const kept = this.#kept.find(name, [])
    if (kept !== undefined) return kept
    const chat = this.#select(models, { ...wanted, kind: 'llm' })
    return this.#kept.keep(name, [], {
      // First, because a list that is too large is cut at its end.
      ...(forCodex && { models: jsonOf(chat, codexEntry) }),
      data: jsonOf(data, (model) => openAiEntry(model)),
    })
  }

  /** A page of the list in Anthropic's form. @throws ApiError 400 */
  async page(wanted: Wanted, page: Page): Promise<object> {
    return anthropicPage(this.#select(await this.#parts.index.models(), wanted), page)
  }

  /** Matches the patterns once while the models are the same: there may be many of both. */
  #select(models: readonly CallableModel[], wanted: Wanted): readonly CallableModel[] {
    if (models !== this.#models) {
      this.#models = models
      this.#kept.clear()
      this.#selected.clear()
    }
    const name = JSON.stringify([wanted.kind, wanted.patterns])
    const before = this.#selected.get(name)
    if (before !== undefined) return before
    const found = [...selected(models, wanted)]
    if (this.#selected.size >= maxSelected) this.#selected.clear()
    this.#selected.set(name, found)
    return found
  }

  /**
   * A model by its id in the list, its own id, the name of a combo or an alias. Of a model that is not allowed, the answer
   * is that of a model that does not exist.
   *
   * @throws ApiError 404
   */
  async find(id: string, caller: Pick<Caller, 'allows'>): Promise<CallableModel> {
    const allows = (one: string) => caller.allows(one)
    const assertAllowed = (one: string) => {
      if (!allows(one)) throw noSuchModel(one)
    }
    const { index } = this.#parts
    const found = await index.resolve(id, allKinds, { allows, assertAllowed })
    const [target] = found.targets
    if (target === undefined || found.isWeb) throw noSuchModel(id)
    const models = await index.models()
    // A bare id may also be the name of a combo that the key may not call.
    const named = allows(id) ? models.find((model) => model.id === id) : undefined
    const known = named ?? models.find((one) => one.id === target.listedId)
    // An upstream without a list may have any model.
    const { prefix, provider } = target.connection
    return { kind: found.kind, owned_by: prefix ?? provider, facts: {}, ...known, id }
  }
}

/** The models of a kind that the key allows. Without a kind, each id once. */
function* selected(
  models: readonly CallableModel[],
  { kind, patterns }: Wanted,
): Iterable<CallableModel> {
  const taken = new Set<string>()
  for (const model of models) {
    if ((kind !== undefined && model.kind !== kind) || taken.has(model.id)) continue
    if (!fitsAny(model.id, patterns)) continue
    taken.add(model.id)
    yield model
  }
}

function* jsonOf(
  models: Iterable<CallableModel>,
  entryOf: (model: CallableModel, position: number) => object,
): Iterable<string> {
  let position = 0
  for (const model of models) yield JSON.stringify(entryOf(model, position++))
}
