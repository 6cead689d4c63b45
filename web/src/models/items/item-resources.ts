import type {
  ComboAnswer,
  CustomModelAnswer,
  RoutingAnswer,
} from '../../../../src/models/routing/routing-schemas.ts'
import { modelsTexts } from '../../texts/models.ts'
import { type Draft, type FieldSpec, linesOf } from '../forms/field-spec.ts'
import { priceField, priceOf, priceText } from '../forms/price-field.ts'
import { aliasField } from '../warnings-at.ts'

/** Routing items that share one editor. */
export interface ItemResource<Item> {
  readonly title: string
  /** Explains the items if there are none yet. */
  readonly hint: string
  /** On buttons and in questions. */
  readonly words: typeof modelsTexts.combos.words
  /** Below `/-/api/routing`. */
  readonly path: string
  readonly fields: readonly FieldSpec[]
  readonly itemsOf: (state: RoutingAnswer) => readonly Item[]
  /** The path that warnings use for an item: `combos[2]`. */
  readonly fieldOf: (item: Item, index: number) => string
  /** The path of an item below `path`, encoded. */
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  readonly kindOf: (item: Item) => string | undefined
  /** A one-line description. */
  readonly detailOf: (item: Item) => string
  readonly draftOf: (item: Item | undefined) => Draft
  readonly bodyOf: (draft: Draft) => object
}

const kindOptions = [
  { value: 'llm', label: modelsTexts.kind.chat },
  { value: 'image', label: modelsTexts.kind.image },
  { value: 'tts', label: modelsTexts.kind.speech },
  { value: 'stt', label: modelsTexts.kind.transcription },
  { value: 'embedding', label: modelsTexts.kind.embedding },
  { value: 'imageToText', label: modelsTexts.kind.imageToText },
  { value: 'webSearch', label: modelsTexts.kind.webSearch },
  { value: 'webFetch', label: modelsTexts.kind.webFetch },
] as const

/** Chat is the default and gets no label. */
function kindLabel(kind: string | undefined): string | undefined {
  if (kind === undefined || kind === 'llm') return undefined
  return kindOptions.find(({ value }) => value === kind)?.label ?? kind
}

const nameField: FieldSpec = {
  name: 'name',
  label: modelsTexts.draft.name,
  kind: 'text',
  path: 'name',
  isRequired: true,
}

export const combos: ItemResource<ComboAnswer> = {
  title: modelsTexts.combos.title,
  hint: modelsTexts.combos.hint,
  words: modelsTexts.combos.words,
  path: '/combos',
  fields: [
    { ...nameField, description: modelsTexts.combos.nameHint, placeholder: 'smart' },
    {
      name: 'kind',
      label: modelsTexts.draft.kind,
      kind: 'select',
      path: 'kind',
      options: kindOptions,
    },
    {
      name: 'models',
      label: modelsTexts.draft.models,
      kind: 'lines',
      path: 'models',
      description: modelsTexts.combos.modelsHint,
      placeholder: 'openai/gpt-5',
    },
  ],
  itemsOf: (state) => state.combos,
  fieldOf: (_item, index) => `combos[${index}]`,
  keyOf: ({ name }) => encodeURIComponent(name),
  nameOf: ({ name }) => name,
  kindOf: ({ kind }) => kindLabel(kind),
  detailOf: ({ models = [] }) =>
    models.length === 0 ? modelsTexts.combos.noModels : models.join(', '),
  draftOf: (item) => ({
    name: item?.name ?? '',
    kind: item?.kind ?? 'llm',
    models: (item?.models ?? []).join('\n'),
  }),
  bodyOf: ({ name, kind, models }) => ({ name, kind, models: linesOf(models) }),
}

export const customModels: ItemResource<CustomModelAnswer> = {
  title: modelsTexts.custom.title,
  hint: modelsTexts.custom.hint,
  words: modelsTexts.custom.words,
  path: '/custom-models',
  fields: [
    {
      name: 'providerAlias',
      label: modelsTexts.draft.provider,
      kind: 'text',
      path: 'providerAlias',
      isRequired: true,
      description: modelsTexts.custom.providerHint,
      placeholder: 'openai',
    },
    {
      name: 'id',
      label: modelsTexts.custom.id,
      kind: 'text',
      path: 'id',
      isRequired: true,
      placeholder: 'gpt-5-preview',
    },
    {
      name: 'type',
      label: modelsTexts.draft.kind,
      kind: 'select',
      path: 'type',
      options: kindOptions,
      description: modelsTexts.custom.kindHint,
    },
    { name: 'name', label: modelsTexts.custom.displayName, kind: 'text', path: 'name' },
    priceField('price', modelsTexts.custom.ofThisModel),
  ],
  itemsOf: (state) => state.customModels,
  fieldOf: (_item, index) => `customModels[${index}]`,
  keyOf: ({ type = 'llm', providerAlias, id }) =>
    [type, providerAlias, id].map(encodeURIComponent).join('/'),
  nameOf: ({ providerAlias, id }) => `${providerAlias}/${id}`,
  kindOf: ({ type }) => kindLabel(type),
  detailOf: ({ name, price }) =>
    [name, price && modelsTexts.custom.price(priceText(price))].filter((part) => part).join(' · '),
  draftOf: (item) => ({
    providerAlias: item?.providerAlias ?? '',
    id: item?.id ?? '',
    type: item?.type ?? 'llm',
    name: item?.name ?? '',
    price: priceText(item?.price),
  }),
  bodyOf: ({ providerAlias, id, type, name, price }) => ({
    ...{ providerAlias, id, type },
    ...(name !== undefined && name !== '' && { name }),
    price: priceOf(price),
  }),
}

export interface ModelAlias {
  readonly name: string
  readonly target: string
}

export const aliases: ItemResource<ModelAlias> = {
  title: modelsTexts.aliases.title,
  hint: modelsTexts.aliases.hint,
  words: modelsTexts.aliases.words,
  path: '/model-aliases',
  fields: [
    { ...nameField, placeholder: 'mine' },
    {
      name: 'target',
      label: modelsTexts.aliases.model,
      kind: 'text',
      path: 'target',
      isRequired: true,
      description: modelsTexts.aliases.modelHint,
      placeholder: 'openai/gpt-5',
    },
  ],
  itemsOf: (state) =>
    Object.entries(state.modelAliases).map(([name, target]) => ({ name, target })),
  fieldOf: ({ name }) => aliasField(name),
  keyOf: ({ name }) => encodeURIComponent(name),
  nameOf: ({ name }) => name,
  kindOf: () => undefined,
  detailOf: ({ target }) => target,
  draftOf: (item) => ({ name: item?.name ?? '', target: item?.target ?? '' }),
  bodyOf: ({ name, target }) => ({ name, target }),
}
