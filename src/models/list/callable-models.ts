import type { Catalogue } from '../catalogue/catalogue.ts'
import { type ModelFacts, present } from './model-facts.ts'
import type { CallTarget, ModelIndex } from './resolve-model.ts'
import { allKinds, type ModelAliases, type ServiceKind } from './routing-inputs.ts'

/** A model, a combo or an alias that can be called. */
export interface CallableModel {
  readonly id: string
  readonly kind: ServiceKind
  readonly owned_by: string
  readonly facts: ModelFacts
}

interface CallableInputs {
  readonly index: ModelIndex
  readonly modelAliases: ModelAliases
  readonly catalogue: Catalogue
  /** What the upstreams say about their models, by connection and own id. */
  readonly facts: ReadonlyMap<string, ReadonlyMap<string, ModelFacts>>
}

/**
 * Everything that can be called, in the order of the lists: combos, models, then aliases. An id that has models of several
 * kinds is there once for each.
 */
export function* callableModels(inputs: CallableInputs): Iterable<CallableModel> {
  const { index, modelAliases } = inputs
  for (const { id, kind } of index.combos()) {
    const targets = index.resolve(id, new Set([kind]))?.targets ?? []
    const facts = commonFacts(targets.map((target) => factsOf(target, inputs)))
    if (targets.length > 0) yield { id, kind, owned_by: 'combo', facts }
  }
  for (const { id, kind, owned_by, provider, ownId = '' } of index.models()) {
    if (provider === undefined) continue
    const target = { connection: provider.connection, ownId }
    yield { id, kind, owned_by, facts: factsOf(target, inputs) }
  }
  for (const id of Object.keys(modelAliases)) {
    const found = index.has(id) ? undefined : index.resolve(id, allKinds)
    const [target] = found?.targets ?? []
    if (found === undefined || target === undefined) continue
    yield { id, kind: found.kind, owned_by: 'alias', facts: factsOf(target, inputs) }
  }
}

/** What the upstream says about a model, otherwise what the catalogue knows. */
function factsOf(
  { connection, ownId }: Pick<CallTarget, 'connection' | 'ownId'>,
  { facts, catalogue }: Pick<CallableInputs, 'facts' | 'catalogue'>,
): ModelFacts {
  const known = catalogue.byId.get(connection.provider)?.models.get(ownId)?.facts
  const said = facts.get(connection.id)?.get(ownId)
  return known !== undefined && said !== undefined ? { ...known, ...said } : (said ?? known ?? {})
}

/** What holds for each of the models of a combo. */
function commonFacts([first, ...others]: readonly ModelFacts[]): ModelFacts {
  if (first === undefined) return {}
  const { name: _, ...facts } = first
  return others.reduce<ModelFacts>(commonOf, facts)
}

function commonOf(a: ModelFacts, b: ModelFacts): ModelFacts {
  const [one, other] = [a.architecture, b.architecture]
  return present({
    context_length: least(a.context_length, b.context_length),
    max_output_tokens: least(a.max_output_tokens, b.max_output_tokens),
    architecture: one &&
      other && {
        input_modalities: shared(one.input_modalities, other.input_modalities) ?? [],
        output_modalities: shared(one.output_modalities, other.output_modalities) ?? [],
      },
    supported_parameters: shared(a.supported_parameters, b.supported_parameters),
  })
}

/** Undefined if one of them is not known. */
function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.min(one, other)
}

function shared(one: readonly string[] | undefined, other: readonly string[] | undefined) {
  return other && one?.filter((each) => other.includes(each))
}
